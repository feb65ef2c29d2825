import { describe, expect, it, test } from 'vitest';
import { memoryStore } from '@gateramp/adapters-store-memory';
import { FAKE_CARDS, findOperation, listOperations, memoryLegsStore, resolveOperation } from '@gateramp/provider-legs';
import { createTestGate } from '@gateramp/testing';
import {
  REFUND_ADDRESS,
  balance,
  buy,
  chargeBack,
  deposit,
  owedToCustomers,
  providerOf,
  sell,
  world,
  type World,
} from './world.js';

/** A sale whose payout is rejected, and whose deposit cannot be sent back either. */
async function stuckSale(store = memoryLegsStore()): Promise<World> {
  const w = world(store);
  w.chain.isRefusing = true;
  await w.provider.start(sell(w.now, 'DE67370400440532010001'));
  await deposit(w.chain, 'op1-deposit', { amount: '110.112239', at: w.now });
  await w.pass(20);
  return w;
}

const resolve = (w: World, as: 'delivered' | 'refunded' | 'failed', isDryRun = false) =>
  resolveOperation(w.store, { operationId: 'op1', as, reason: 'Sent by hand, ticket 42.', now: w.now, isDryRun });

test('the worker passes on the error of an operation, which is tried again', async () => {
  const w = world();
  w.chain.isRefusing = true;
  w.fiat.silence = 'before';
  await w.provider.start(buy(w.now)).catch(() => undefined);
  const error = await new Promise((resolve) => {
    const worker = w.provider.startWorker({
      now: () => (w.now += 60_000),
      intervalMs: 1,
      onError: (first) => void worker.stop().then(() => resolve(first)),
    });
  });
  expect(error).toEqual(new Error('The processor does not answer.'));
  w.fiat.silence = null;
  await w.pass(120);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed' });
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a delivery of which only a part arrived is stuck, and ends as an operator decides', async () => {
  const w = world();
  w.chain.isShort = true;
  await w.provider.start(buy(w.now));
  await w.pass(20);
  expect((await findOperation(w.store, 'op1'))?.state).toMatchObject({
    kind: 'stuck',
    step: 'send',
    reason: 'delivered_in_part',
  });
  expect(w.alarms).toEqual(['operation_stuck']);
  expect(await resolve(w, 'delivered')).toMatchObject({ kind: 'resolved' });
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a delivery of which only a part arrived stays stuck when the bank takes the payment back', async () => {
  const w = world();
  w.chain.isShort = true;
  await w.provider.start(buy(w.now));
  await w.pass(20);
  await chargeBack(w.provider, w.now);
  await w.pass(20);
  expect((await findOperation(w.store, 'op1'))?.state).toMatchObject({ kind: 'stuck', reason: 'delivered_in_part' });
  expect(await resolve(w, 'delivered')).toMatchObject({ kind: 'resolved' });
  expect(await owedToCustomers(w)).toEqual([]);
  expect(await balance(w, 'losses', 'EUR')).toBe('100');
});

test('a return of which only a part arrived is stuck too', async () => {
  const w = world();
  w.chain.isShort = true;
  await w.provider.start(sell(w.now, 'DE67370400440532010001'));
  await deposit(w.chain, 'op1-deposit', { amount: '110.112239', at: w.now });
  await w.pass(20);
  expect((await findOperation(w.store, 'op1'))?.state).toMatchObject({ kind: 'stuck', reason: 'returned_in_part' });
});

test.each([
  ['purchase', 'delivered', '-107.29'],
  ['purchase', 'failed', '-107.29'],
  ['purchase', 'refunded', '-107.29'],
  ['sale', 'refunded', '0.05'],
  ['sale', 'failed', '0.05'],
] as const)(
  'the tokens of a %s that arrived in part have left the wallet if it is resolved as %s',
  async (flow, as, left) => {
    const w = world();
    w.chain.isShort = true;
    await w.provider.start(flow === 'purchase' ? buy(w.now) : sell(w.now, 'DE67370400440532010001'));
    if (flow === 'sale') await deposit(w.chain, 'op1-deposit', { amount: '110.112239', at: w.now });
    await w.pass(20);
    expect(await resolve(w, as)).toMatchObject({ kind: 'resolved' });
    expect(await owedToCustomers(w)).toEqual([]);
    // The deposit is at its address; what was sent has left.
    expect(Number(await balance(w, 'chain:base', 'USDC@base')).toFixed(2)).toBe(left);
  },
);

describe('an operation that is stuck', () => {
  it('is resolved once, with one audit entry in the same commit, however many operators and changes race', async () => {
    const store = memoryStore();
    const { gate } = await createTestGate({ ports: { store } });
    const w = await stuckSale(memoryLegsStore(store));
    const before = (await gate.admin.audit.list()).length;
    const target = { type: 'operation', id: 'op1' };
    const entry = { action: 'operation.resolve', target, partnerId: null, mode: 'test' } as const;
    const racing = Array.from({ length: 8 }, async (_, nth) => {
      await gate.admin.createPartner({ name: `P${nth}`, allowedOrigins: [] });
      const { kind } = await resolveOperation(w.store, {
        operationId: 'op1',
        as: 'refunded',
        reason: 'Ticket 42.',
        now: w.now,
        audited: (rows, commit) => gate.admin.audit.recordWith({ ...entry, ...rows }, commit),
      });
      return kind;
    });
    expect((await Promise.all(racing)).filter((kind) => kind === 'resolved')).toHaveLength(1);
    const added = (await gate.admin.audit.list()).slice(0, -before || undefined);
    expect(added.filter(({ action }) => action === 'operation.resolve')).toMatchObject([
      { target, beforeDigest: expect.any(String), afterDigest: expect.any(String) },
    ]);
    expect(await gate.admin.audit.verify()).toMatchObject({ isIntact: true, head: { sequence: before + 9 } });
  });

  it('raises an alarm, is listed, and shows what the buyer is owed', async () => {
    const w = await stuckSale();
    expect(w.alarms).toEqual(['operation_stuck']);
    const query = { mode: 'test', isStuck: true, after: null, limit: 10 } as const;
    expect(await listOperations(w.store, query)).toMatchObject([
      { operationId: 'op1', state: { kind: 'stuck', step: 'return', reason: 'limit' } },
    ]);
    expect(await listOperations(w.store, { ...query, mode: 'live' })).toEqual([]);
    expect((await findOperation(w.store, 'op1'))?.owed).toEqual([{ currency: 'USDC@base', amount: '110.112239' }]);
  });

  it.each([
    ['refunded', { kind: 'refunded' }, { 'chain:base': '0', house: '0' }],
    ['failed', { kind: 'failed' }, { 'chain:base': '110.112239', house: '-110.112239' }],
    ['delivered', { kind: 'succeeded' }, { 'chain:base': '110.112239', house: '-110.112239' }],
  ] as const)('ends as %s when an operator says so, and no buyer is owed anything', async (as, outcome, accounts) => {
    const w = await stuckSale();
    const before = await balance(w, 'house', 'USDC@base');
    expect(await resolve(w, as)).toMatchObject({ kind: 'resolved' });
    expect((await w.lookup())?.outcome).toMatchObject(outcome);
    expect(await owedToCustomers(w)).toEqual([]);
    expect(await balance(w, 'chain:base', 'USDC@base')).toBe(accounts['chain:base']);
    expect(Number(await balance(w, 'house', 'USDC@base')) - Number(before)).toBeCloseTo(Number(accounts.house), 6);
    expect(await findOperation(w.store, 'op1')).toMatchObject({
      resolution: { as, reason: 'Sent by hand, ticket 42.' },
    });
  });

  it('is resolved once, however many operators do so at one moment', async () => {
    const w = await stuckSale();
    const results = await Promise.all([resolve(w, 'refunded'), resolve(w, 'failed'), resolve(w, 'delivered')]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual(['not_stuck', 'not_stuck', 'resolved']);
    expect(await owedToCustomers(w)).toEqual([]);
  });

  it('is left as it is by a dry run', async () => {
    const w = await stuckSale();
    expect(await resolve(w, 'refunded', true)).toMatchObject({ kind: 'resolved', entry: { id: 'op1:resolution' } });
    expect((await findOperation(w.store, 'op1'))?.state.kind).toBe('stuck');
  });
});

test('an operation that waits for its buyer can be resolved as failed, which releases what it holds, and in no other way', async () => {
  const w = world();
  await w.provider.start(buy(w.now, {}, FAKE_CARDS.needsAuthentication));
  for (const as of ['delivered', 'refunded'] as const)
    expect(await resolve(w, as)).toMatchObject({ kind: 'not_stuck' });
  expect(await resolve(w, 'failed', true)).toMatchObject({ kind: 'resolved', entry: null });
  expect((await w.lookup())?.outcome.kind).toBe('requires_action');
  expect(await resolve(w, 'failed')).toMatchObject({ kind: 'resolved', entry: null });
  await w.pass(70);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { retryable: true } });
  expect(await w.fiat.lookupAuthorization({ callId: 'op1-authorize', mode: 'test', now: w.now })).toEqual({
    kind: 'voided',
  });
  expect(w.chain.reservations.size).toBe(0);
});

test('what is at work or has ended cannot be resolved, nor what was never seen', async () => {
  const w = world();
  expect(await resolve(w, 'failed')).toEqual({ kind: 'not_found' });
  await w.provider.start(buy(w.now));
  expect(await resolve(w, 'failed')).toMatchObject({ kind: 'not_stuck' });
  await w.pass(10);
  expect(await resolve(w, 'failed')).toMatchObject({ kind: 'not_stuck', operation: { state: { as: 'succeeded' } } });
});

test.each(['refunded', 'failed', 'delivered'] as const)(
  'a sale that was paid out, and whose surplus is stuck, stays delivered when it is resolved as %s',
  async (as) => {
    const w = world();
    await w.provider.start(sell(w.now));
    w.chain.isRefusing = true;
    await deposit(w.chain, 'op1-deposit', { amount: '120', at: w.now });
    await w.pass(20);
    expect((await findOperation(w.store, 'op1'))?.state).toMatchObject({ kind: 'stuck', step: 'surplus' });
    await resolve(w, as);
    expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
    expect(await owedToCustomers(w)).toEqual([]);
    expect(await balance(w, 'fiat', 'EUR')).toBe('-100');
    expect(await balance(w, 'chain:base', 'USDC@base')).toBe(as === 'refunded' ? '110.112239' : '120');
  },
);

test('what is deposited after an operation was resolved goes back', async () => {
  const w = await stuckSale();
  await resolve(w, 'refunded');
  w.chain.isRefusing = false;
  await deposit(w.chain, 'op1-deposit', { amount: '50', at: w.now });
  await w.pass(11 * 60);
  expect([...w.chain.sends.values()]).toMatchObject([{ to: REFUND_ADDRESS, amount: '49.945515' }]);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'refunded' });
  expect(await owedToCustomers(w)).toEqual([]);
});

describe('a call whose result stays unknown', () => {
  /** Runs the worker for ten minutes with silent legs, and then with legs that answer. */
  async function silently(w: World, provider = w.provider): Promise<readonly string[]> {
    w.fiat.silence = 'before';
    for (let second = 0; second < 600; second += 1) await provider.work('test', (w.now += 1_000));
    const alarms = w.alarms.filter((name) => name === 'leg_call_unknown');
    w.fiat.silence = null;
    for (let second = 0; second < 120; second += 1) await provider.work('test', (w.now += 1_000));
    return alarms;
  }

  it('raises an alarm once while an operation is undone', async () => {
    const w = world();
    w.chain.isRefusing = true;
    w.fiat.silence = 'before';
    await expect(w.provider.start(buy(w.now))).rejects.toThrow('does not answer');
    expect(await silently(w)).toEqual(['leg_call_unknown']);
    expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed' });
  });

  it("raises it for a partner's refund, which is made when the processor answers", async () => {
    const w = world();
    await w.provider.start(buy(w.now));
    await w.pass(120);
    const order = {
      operationId: 'op1',
      mode: 'test',
      refundId: 'refund1',
      amount: '60.00',
      currency: 'EUR',
      reason: null,
    } as const;
    w.fiat.silence = 'before';
    await expect(w.provider.refund({ ...order, now: w.now })).rejects.toThrow('does not answer');
    expect(await silently(w)).toEqual(['leg_call_unknown']);
    expect(await w.provider.refund({ ...order, now: w.now })).toEqual({ kind: 'succeeded' });
  });

  it('raises it while the buyer is on the page of a leg', async () => {
    const w = world();
    const nextAction = { type: 'redirect', url: 'https://id.example/1', expiresAt: w.now + 3_600_000 } as const;
    const check = async () => {
      if (w.fiat.silence !== null) throw new Error('The identity service does not answer.');
      return { kind: 'requires_action', nextAction } as const;
    };
    const identity = { name: 'fake', check, confirm: check };
    const provider = providerOf({ ...w, identity }, (name) => w.alarms.push(name));
    await provider.start(buy(w.now));
    expect(await silently(w, provider)).toEqual(['leg_call_unknown']);
    expect((await w.lookup())?.outcome).toMatchObject({ kind: 'requires_action', nextAction });
  });
});
