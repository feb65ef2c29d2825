import { describe, expect, it, test } from 'vitest';
import { findOperation } from '@gateramp/provider-legs';
import {
  REFUND_ADDRESS,
  WALLET,
  answered,
  balance,
  deposit,
  owedToCustomers,
  sell,
  swap,
  world,
  type World,
} from './world.js';

const MINUTE = 60;
/** USDC for 100.00 EUR and fees of 1.05 EUR, at 0.92 less half the spread. */
const ASKED = '110.112239';

async function begin(w: World, order = sell(w.now)) {
  const answer = answered(await w.provider.start(order));
  if (answer.outcome.kind !== 'requires_action' || answer.outcome.nextAction.type !== 'crypto_deposit')
    throw new Error(`expected a deposit, got ${JSON.stringify(answer.outcome)}`);
  return answer.outcome.nextAction;
}

/** The stages that a partner sees over the given seconds. */
async function stagesDuring(w: World, seconds: number): Promise<readonly string[]> {
  const seen = new Set<string>();
  for (let second = 0; second < seconds; second += 1) {
    await w.pass(1);
    const outcome = (await w.lookup())?.outcome;
    if (outcome?.kind === 'processing') seen.add(outcome.stage);
  }
  return [...seen];
}

test('a sale asks for a deposit, and pays out when it is confirmed', async () => {
  const w = world();
  const asked = await begin(w);
  expect(asked).toMatchObject({ asset: 'USDC', network: 'base', amount: ASKED });
  await deposit(w.chain, 'op1-deposit', { amount: asked.amount, at: w.now });
  await w.pass(20);
  const { outcome, details } = answered(await w.lookup());
  expect(outcome).toEqual({ kind: 'succeeded' });
  expect(details.confirmations).toEqual({ seen: 2, required: 2 });
  expect(await balance(w, 'fiat', 'EUR')).toBe('-100');
  expect(await balance(w, 'chain:base', 'USDC@base')).toBe(ASKED);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a swap delivers the other token', async () => {
  const w = world();
  const asked = await begin(w, swap(w.now));
  await deposit(w.chain, 'op1-deposit', { amount: asked.amount, at: w.now });
  await w.pass(20);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect([...w.chain.sends.values()]).toMatchObject([{ asset: 'ETH', to: WALLET }]);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a deposit on its way counts as processing, so that the session stays open', async () => {
  const w = world();
  const asked = await begin(w);
  await w.pass(4);
  await deposit(w.chain, 'op1-deposit', { amount: asked.amount, at: w.now });
  await w.pass(1);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'processing', stage: 'deposit' });
  const cancelled = answered(await w.provider.cancel({ ...sell(w.now), now: w.now }));
  expect(cancelled.outcome).toEqual({ kind: 'processing', stage: 'deposit' });
});

test('no deposit in time fails the sale', async () => {
  const w = world();
  await begin(w);
  await w.pass(30 * MINUTE + 10);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'deposit_not_received' } });
});

test('a deposit that is too small goes back to the refund address, less the network fee', async () => {
  const w = world();
  await begin(w);
  await deposit(w.chain, 'op1-deposit', { amount: '50', at: w.now });
  await w.pass(30 * MINUTE);
  expect(await stagesDuring(w, 60)).toEqual(['return']);
  const { outcome, details } = answered(await w.lookup());
  expect(outcome).toMatchObject({ kind: 'failed', failure: { code: 'deposit_short' } });
  expect(details.txHash).toBe(w.chain.hashOf('op1-return_0'));
  expect([...w.chain.sends.values()]).toMatchObject([{ asset: 'USDC', to: REFUND_ADDRESS, amount: '49.945515' }]);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('what is deposited above the amount goes back after the payout', async () => {
  const w = world();
  await begin(w);
  await deposit(w.chain, 'op1-deposit', { amount: '120', at: w.now });
  expect(await stagesDuring(w, 30)).toEqual(['deposit_over']);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect([...w.chain.sends.values()]).toMatchObject([{ to: REFUND_ADDRESS, amount: '9.833276' }]);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a surplus that is worth less than returning it is kept as a fee', async () => {
  const w = world();
  await begin(w);
  await deposit(w.chain, 'op1-deposit', { amount: '110.12', at: w.now });
  await w.pass(30);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect(w.chain.sends.size).toBe(0);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a token that was not asked for goes back', async () => {
  const w = world();
  await begin(w);
  await deposit(w.chain, 'op1-deposit', { amount: '1', asset: 'ETH', at: w.now });
  await w.pass(30 * MINUTE + 60);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'deposit_wrong_asset' } });
  expect([...w.chain.sends.values()]).toMatchObject([{ asset: 'ETH', to: REFUND_ADDRESS, amount: '1' }]);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('deposits of one token go back as one, and below the minimum none does', async () => {
  const w = world();
  await begin(w);
  for (const amount of ['0.00004', '0.00009', '0.00007'])
    await deposit(w.chain, 'op1-deposit', { amount, asset: 'ETH', at: w.now });
  for (const amount of ['20', '30']) await deposit(w.chain, 'op1-deposit', { amount, at: w.now });
  await w.pass(30 * MINUTE + 60);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'deposit_short' } });
  expect([...w.chain.sends.values()]).toMatchObject([
    { asset: 'ETH', to: REFUND_ADDRESS, amount: '0.0002' },
    { asset: 'USDC', to: REFUND_ADDRESS, amount: '49.945515' },
  ]);
  await deposit(w.chain, 'op1-deposit', { amount: '0.00009', asset: 'ETH', at: w.now });
  await w.pass(11 * MINUTE);
  expect(w.chain.sends.size).toBe(2);
  expect(await balance(w, 'fees', 'ETH@base')).toBe('-0.00009');
  expect(await owedToCustomers(w)).toEqual([]);
  expect((await findOperation(w.store, 'op1'))?.returns).toMatchObject([
    { status: 'returned', asset: 'ETH', amount: '0.0002' },
    { status: 'returned', asset: 'USDC', amount: '49.945515', fee: '0.054485' },
    { status: 'kept', asset: 'ETH', fee: '0.00009' },
  ]);
});

test('transfers of nothing change nothing about a sale, before and after its end', async () => {
  const w = world();
  const asked = await begin(w);
  for (let nth = 0; nth < 3; nth += 1) await deposit(w.chain, 'op1-deposit', { amount: '0', at: w.now });
  await w.pass(5);
  expect(answered(await w.lookup()).outcome).toMatchObject({ kind: 'requires_action' });
  await deposit(w.chain, 'op1-deposit', { amount: asked.amount, at: w.now });
  await w.pass(20);
  for (const asset of ['USDC', 'ETH']) await deposit(w.chain, 'op1-deposit', { amount: '0', asset, at: w.now });
  await w.pass(21 * MINUTE);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect((await findOperation(w.store, 'op1'))?.state).toEqual({ kind: 'ended', as: 'succeeded' });
  expect(w.chain.sends.size).toBe(0);
  expect(w.alarms).toEqual([]);
});

describe('without a minimum, a deposit in another token goes back if it is worth more than a send', () => {
  // ETH is bought at 2,985 EUR and sold at 3,015 EUR.
  it.each([
    ['by the network fee', { EUR: '0.10' }, null, '0.00003', '0.00004'],
    ['by the gas of a send', {}, '0.0001', '0.0001', '0.0002'],
    ['by a cent, where no cost is known', {}, null, '0.000003', '0.000004'],
  ])('%s', async (_, networkFee: Readonly<Record<string, string>>, gas, kept, returned) => {
    for (const [amount, count] of [
      [kept, 0],
      [returned, 1],
    ] as const) {
      const w = world();
      const networks = w.chain.networks.map((network) => ({
        ...network,
        assets: network.assets.map(({ minReturn: __, ...asset }) => ({ ...asset, networkFee })),
      }));
      const sendCost = async () => (gas === null ? null : { asset: 'ETH', network: 'base', amount: gas });
      Object.assign(w.chain, { networks, sendCost });
      await begin(w);
      await deposit(w.chain, 'op1-deposit', { amount, asset: 'ETH', at: w.now });
      await w.pass(30 * MINUTE + 60);
      expect(w.chain.sends.size).toBe(count);
      expect(await owedToCustomers(w)).toEqual([]);
    }
  });

  it('by the price of its gas, for a token that does not pay it', async () => {
    for (const [amount, count] of [
      ['3', 0],
      ['4', 1],
    ] as const) {
      const w = world();
      const networks = w.chain.networks.map((network) => ({
        ...network,
        assets: network.assets.map(({ minReturn: __, ...asset }) => ({ ...asset, networkFee: {} })),
      }));
      Object.assign(w.chain, {
        networks,
        sendCost: async () => ({ asset: 'ETH', network: 'base', amount: '0.001' }),
      });
      await begin(w);
      await deposit(w.chain, 'op1-deposit', { amount, at: w.now });
      await w.pass(30 * MINUTE + 60);
      expect(w.chain.sends.size).toBe(count);
      expect(await owedToCustomers(w)).toEqual([]);
    }
  });
});

test('a refund address that is blocked since the deposit gets nothing back: an operator decides', async () => {
  const w = world();
  await begin(w);
  await deposit(w.chain, 'op1-deposit', { amount: '50', at: w.now });
  w.screening.block('before_send');
  await w.pass(30 * MINUTE + 60);
  expect(w.chain.sends.size).toBe(0);
  const found = await findOperation(w.store, 'op1');
  expect(found?.state).toMatchObject({ kind: 'stuck', step: 'return', reason: 'sanctions_blocked' });
  expect(found?.owed).toEqual([{ currency: 'USDC@base', amount: '50' }]);
  expect(w.alarms).toEqual(['operation_stuck']);
});

test('a return waits until its address has been screened again', async () => {
  const w = world();
  const asked = await begin(w, sell(w.now, 'DE67370400440532010001'));
  w.screening.hold('before_send');
  await deposit(w.chain, 'op1-deposit', { amount: asked.amount, at: w.now });
  await w.pass(30);
  expect(w.chain.sends.size).toBe(0);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'processing', stage: 'return' });
  w.screening.release();
  await w.pass(30);
  expect([...w.chain.sends.values()]).toMatchObject([{ asset: 'USDC', to: REFUND_ADDRESS }]);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'payout_rejected' } });
});

test('a deposit in full that is confirmed after the deadline goes back as late', async () => {
  const w = world();
  await begin(w);
  await w.pass(30 * MINUTE - 1);
  await deposit(w.chain, 'op1-deposit', { amount: ASKED, at: w.now + 2_000 });
  await w.pass(60);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'deposit_late' } });
  expect([...w.chain.sends.values()]).toMatchObject([{ to: REFUND_ADDRESS }]);
});

test('a deposit that comes after the sale has failed goes back', async () => {
  const w = world();
  await begin(w);
  await w.pass(30 * MINUTE + 10);
  await deposit(w.chain, 'op1-deposit', { amount: ASKED, at: w.now });
  await w.pass(11 * MINUTE);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'deposit_not_received' } });
  expect([...w.chain.sends.values()]).toMatchObject([{ to: REFUND_ADDRESS }]);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a payout that the bank rejects returns the deposit', async () => {
  const w = world();
  const asked = await begin(w, sell(w.now, 'DE67370400440532010001'));
  await deposit(w.chain, 'op1-deposit', { amount: asked.amount, at: w.now });
  await w.pass(30);
  expect((await w.lookup())?.outcome).toMatchObject({ kind: 'failed', failure: { code: 'payout_rejected' } });
  expect([...w.chain.sends.values()]).toMatchObject([{ asset: 'USDC', to: REFUND_ADDRESS }]);
  expect(await owedToCustomers(w)).toEqual([]);
});

test('a deposit that comes after a swap was delivered goes back, and the swap stays delivered', async () => {
  const w = world();
  const asked = await begin(w, swap(w.now));
  await deposit(w.chain, 'op1-deposit', { amount: asked.amount, at: w.now });
  await w.pass(20);
  await deposit(w.chain, 'op1-deposit', { amount: '5', at: w.now });
  await w.pass(11 * MINUTE);
  expect((await w.lookup())?.outcome).toEqual({ kind: 'succeeded' });
  expect([...w.chain.sends.values()].at(-1)).toMatchObject({ asset: 'USDC', to: REFUND_ADDRESS });
  expect(await owedToCustomers(w)).toEqual([]);
});
