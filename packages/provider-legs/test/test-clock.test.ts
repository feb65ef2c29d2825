import { DAY, MINUTE } from '@gateramp/core/domain';
import { createTestGate, type TestGate } from '@gateramp/testing';
import { describe, expect, it } from 'vitest';
import { QUOTE_REQUEST, buy, START, WALLET, world, type World } from './world.js';

/** Waits for a bank transfer, which arrives at the fake bank 30 s after the start. */
function startTransfer({ provider }: World, operationId: string, partnerId: string, now = START) {
  const order = buy(now, { partnerId, operationId, paymentMethod: 'bank_transfer' });
  return provider.start({ ...order, operationId, paymentDetails: null });
}

/** A gate with legs in test mode, and one clock for each sandbox or for all. */
async function gateOver(w: World, testClock: 'partner' | 'mode' = 'partner'): Promise<TestGate> {
  return createTestGate({ startAt: START, ports: { providers: [w.provider] }, policy: { testClock } });
}

async function stateOf({ provider }: World, operationId: string, now: number) {
  return (await provider.lookup({ operationId, mode: 'test', now }))?.outcome.kind;
}

describe('moving the clock of a sandbox', () => {
  it('runs the operations of its partner to their end, each at the instant it is due, and no others', async () => {
    const w = world();
    const { gate } = await gateOver(w);
    await startTransfer(w, 'ours', 'acme');
    await startTransfer(w, 'theirs', 'bolt');
    const { now, fired } = await gate.advanceTestClock(5 * MINUTE, 'acme');
    expect(now).toBe(START + 5 * MINUTE);
    expect(new Set(fired.map(({ type, id }) => `${type} ${id}`))).toEqual(new Set(['operation ours']));
    expect([await stateOf(w, 'ours', now), await stateOf(w, 'theirs', now)]).toEqual(['succeeded', 'requires_action']);
    const [delivery] = (await w.store.entries('ours')).slice(-1);
    // The transfer was seen when it arrived, and the delivery was sent and confirmed after two blocks.
    expect((delivery?.at ?? 0) - START).toBeLessThan(MINUTE);
  });

  it('sees at its end what happened since the last poll of an operation', async () => {
    for (let seconds = 31; seconds < 45; seconds += 1) {
      const w = world();
      const { gate } = await gateOver(w);
      await startTransfer(w, 'ours', 'acme');
      const { now } = await gate.advanceTestClock(seconds * 1_000, 'acme');
      expect([seconds, await stateOf(w, 'ours', now)]).not.toEqual([seconds, 'requires_action']);
    }
  });

  it('lists what is due next, with its step, and only for its partner', async () => {
    const w = world();
    const { gate } = await gateOver(w);
    await startTransfer(w, 'ours', 'acme');
    await startTransfer(w, 'theirs', 'bolt');
    const due = { kind: 'operation', what: 'authorize', dueAt: START + 5_000, attempts: 0, subjectId: null };
    expect(await gate.admin.sandboxWork('acme')).toEqual([{ ...due, id: 'ours' }]);
    expect(await gate.admin.sandboxWork('nobody')).toEqual([]);
    await gate.advanceTestClock(5 * MINUTE, 'acme');
    expect(await gate.admin.sandboxWork('acme')).toEqual([]);
  });

  it('lets the worker go by the time of the sandbox afterwards', async () => {
    const w = world();
    const { gate } = await gateOver(w);
    await gate.advanceTestClock(DAY, 'acme');
    expect(gate.clock.sandboxes()).toEqual(new Map([['acme', START + DAY]]));
    await startTransfer(w, 'ours', 'acme', START + DAY);
    for (let seconds = 0; seconds < 90; seconds += 1) {
      const by = seconds * 1_000;
      expect(await w.provider.work('test', START + by)).toBe(0);
      await w.provider.work('test', START + by, new Map([['acme', START + DAY + by]]));
    }
    expect(await stateOf(w, 'ours', START + DAY + 90_000)).toBe('succeeded');
  });

  it('moves a day past an operation that waits for something outside without polling it thousands of times', async () => {
    const w = world();
    const { gate } = await gateOver(w);
    w.screening.hold('before_send');
    await w.provider.start(buy(START, { partnerId: 'acme' }));
    const { now, fired } = await gate.advanceTestClock(DAY, 'acme');
    expect(now).toBe(START + DAY);
    expect(fired.length).toBeGreaterThan(10);
    expect(fired.length).toBeLessThan(100);
    w.screening.release();
    await gate.advanceTestClock(MINUTE, 'acme');
    expect(await stateOf(w, 'op1', now + MINUTE)).toBe('succeeded');
  });
});

it('a move of all of test mode runs the operations of every partner, also of one that is ahead', async () => {
  const w = world();
  const ahead = await gateOver(w);
  await ahead.gate.advanceTestClock(DAY, 'acme');
  await startTransfer(w, 'ours', 'acme', START + DAY);
  await startTransfer(w, 'theirs', 'bolt');
  const { gate } = ahead;
  const { now, fired } = await gate.advanceTestClock(5 * MINUTE);
  expect(now).toBe(START + 5 * MINUTE);
  expect(new Set(fired.map(({ id }) => id))).toEqual(new Set(['ours', 'theirs']));
  expect(await stateOf(w, 'ours', START + DAY + 5 * MINUTE)).toBe('succeeded');
  expect(await stateOf(w, 'theirs', now)).toBe('succeeded');
});

describe('a purchase by bank transfer', () => {
  const begin = async (t: TestGate) => {
    const session = await t.createSession();
    const headers = { 'x-embed-token': await t.embed(session) };
    const { flow, amount, currency, targetToken, targetNetwork, countryCode } = QUOTE_REQUEST;
    const target = { target_token: targetToken, target_network: targetNetwork, country_code: countryCode };
    const terms = { flow, amount, currency, ...target, wallet_address: WALLET, payment_method: 'bank_transfer' };
    const begun = await t.request('POST', '/v1/embed/intents', { headers, body: terms });
    expect(begun.json).toMatchObject({ next_action: { type: 'bank_transfer' } });
    return session.id;
  };

  it('is advanced to the end of its session, and its steps are listed under the session', async () => {
    const t = await gateOver(world());
    const id = await begin(t);
    const due = await t.gate.admin.sandboxWork(t.partner.id);
    expect(due).toContainEqual(expect.objectContaining({ kind: 'operation', what: 'authorize', subjectId: id }));
    const end = await t.gate.advanceToEnd(t.partner.id, id);
    expect(end).toMatchObject({ stopped: 'ended', status: 'completed' });
    expect(end?.fired.some(({ type }) => type === 'operation')).toBe(true);
  });

  it('shows its operation among what an advance ran to its partner alone', async () => {
    const t = await gateOver(world(), 'mode');
    await begin(t);
    const advance = (key: string) =>
      t.request('POST', '/v1/test_helpers/clock/advance', { key, body: { seconds: 20 } });
    const typesOf = ({ json }: Awaited<ReturnType<typeof advance>>) =>
      new Set((json['fired'] as readonly { readonly type: string }[]).map(({ type }) => type));
    const other = await t.gate.admin.createPartner({ name: 'Other', allowedOrigins: [] });
    const key = await t.gate.admin.issueKey(other.id, { mode: 'test', type: 'secret' });
    expect(typesOf(await advance(key.text))).toEqual(new Set());
    expect(typesOf(await advance(t.keys.secret.test))).toContain('operation');
  });
});

describe('while a clock is stepped', () => {
  it('the worker claims nothing of that sandbox, or of all test mode, until it has ended', async () => {
    const w = world();
    await startTransfer(w, 'ours', 'acme');
    await startTransfer(w, 'theirs', 'bolt');
    const later = START + MINUTE;
    const resume = await w.provider.testWork.pause('acme');
    expect(await w.provider.work('test', later, new Map([['acme', later]]))).toBe(1);
    const resumeAll = await w.provider.testWork.pause(null);
    expect(await w.provider.work('test', later + DAY, new Map([['bolt', later + DAY]]))).toBe(0);
    resumeAll();
    expect(await w.provider.work('test', later)).toBe(0);
    resume();
    expect(await w.provider.work('test', later)).toBe(1);
  });

  it('waits for calls of that sandbox that are running, and not for those of others', async () => {
    const w = world();
    const { provider } = w;
    await startTransfer(w, 'ours', 'acme');
    const lookup = w.fiat.lookupAuthorization;
    let answer = (): void => undefined;
    const asked = new Promise<void>((called) => {
      Object.assign(w.fiat, {
        lookupAuthorization: (call: Parameters<typeof lookup>[0]) => {
          called();
          return new Promise((resolve) => (answer = () => resolve(lookup(call))));
        },
      });
    });
    const order: string[] = [];
    const round = provider.work('test', START + MINUTE).then(() => order.push('round'));
    await asked;
    (await provider.testWork.pause('bolt'))();
    order.push('bolt');
    const paused = provider.testWork.pause('acme').then(() => order.push('acme'));
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(order).toEqual(['bolt']);
    answer();
    await Promise.all([round, paused]);
    expect(await stateOf(w, 'ours', START + MINUTE)).not.toBe('requires_action');
  });

  it('runs an item once, and not before it is due', async () => {
    const w = world();
    await startTransfer(w, 'ours', 'acme');
    const [due] = await w.provider.testWork.due({ partnerId: 'acme', limit: 5 });
    const at = due?.dueAt ?? 0;
    const { run } = w.provider.testWork;
    expect(await run('ours', at - 1)).toBe(false);
    expect(await run('unknown', at)).toBe(false);
    const racing = await Promise.all([run('ours', at), run('ours', at)]);
    expect(racing.filter(Boolean)).toHaveLength(1);
  });
});

it('a test clock that is far ahead deletes no quotes', async () => {
  const w = world();
  const request = {
    scope: { partnerId: 'acme', mode: 'live' },
    ...QUOTE_REQUEST,
    paymentMethod: 'card',
    now: START,
  } as const;
  const quoted = await w.provider.quote(request);
  const [quote] = quoted.kind === 'quotes' ? quoted.quotes : [];
  await w.provider.work('test', START + DAY);
  expect(await w.provider.checkQuote(quote?.id ?? '', request)).toMatchObject({ kind: 'valid' });
  await w.provider.work('live', START + DAY);
  expect(await w.provider.checkQuote(quote?.id ?? '', request)).toMatchObject({ code: 'quote_not_found' });
});

it('a callback is booked at the time of the sandbox of its operation', async () => {
  const w = world();
  await w.provider.start(buy(START + DAY, { partnerId: 'acme' }));
  const dispute = { disputeId: 'd1', eventId: 'd1', authorizationId: 'op1-authorize', amount: '100.00' };
  const rawBody = Buffer.from(JSON.stringify({ kind: 'charged_back', ...dispute }));
  const times = { now: START, modeNow: START, nowOf: (partnerId: string) => (partnerId === 'acme' ? START + DAY : 0) };
  await w.provider.parseCallback({ mode: 'test', headers: {}, rawBody, ...times });
  const entries = await w.store.entries('op1');
  expect(entries.map(({ at }) => at)).toEqual(entries.map(() => START + DAY));
  expect(entries.some(({ id }) => id.includes('d1'))).toBe(true);
});
