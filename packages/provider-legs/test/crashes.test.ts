import { afterEach, expect, test, vi } from 'vitest';
import type { StartOrder } from '@gateramp/core/ports';
import { FAKE_CARDS, FAKE_CODE, type LegsProvider } from '@gateramp/provider-legs';
import { Crash, type Death, mortal } from './mortal.js';
import { buy, deposit, owedToCustomers, sell, swap, world, type World } from './world.js';

/** An operation that one process starts and that another one finishes after the first has died at some call. */
interface Scenario {
  readonly title: string;
  readonly order: (now: number) => StartOrder;
  readonly play: (w: World, provider: LegsProvider, order: StartOrder) => Promise<void>;
}

const deposits = (amount: string) => async (w: World, provider: LegsProvider, order: StartOrder) => {
  await provider.start(order);
  await deposit(w.chain, 'op1-deposit', { amount, at: w.now });
  await workFor(w, provider, 20);
};

const SCENARIOS: readonly Scenario[] = [
  {
    title: 'a card purchase',
    order: buy,
    play: async (w, provider, order) => {
      await provider.start(order);
      await workFor(w, provider, 5);
    },
  },
  {
    title: 'a card purchase with a code',
    order: (now) => buy(now, {}, FAKE_CARDS.needsAuthentication),
    play: async (w, provider, order) => {
      await provider.start(order);
      await provider.confirm({ ...order, confirmation: { action: 'payment_authentication', code: FAKE_CODE } });
      await workFor(w, provider, 5);
    },
  },
  {
    title: 'a purchase whose send is refused',
    order: buy,
    play: async (w, provider, order) => {
      w.chain.isRefusing = true;
      await provider.start(order);
    },
  },
  {
    title: 'a purchase whose exchange fails',
    order: buy,
    play: async (w, provider, order) => {
      w.exchange.isFailing = true;
      await provider.start(order);
    },
  },
  {
    title: 'a purchase that is cancelled',
    order: (now) => buy(now, {}, FAKE_CARDS.needsAuthentication),
    play: async (_, provider, order) => {
      await provider.start(order);
      await provider.cancel(order);
    },
  },
  { title: 'a sale', order: sell, play: deposits('110.112239') },
  { title: 'a sale with too much', order: sell, play: deposits('200') },
  { title: 'a sale with too little', order: sell, play: deposits('20') },
  { title: 'a rejected payout', order: (now) => sell(now, 'DE67370400440532010001'), play: deposits('110.112239') },
  { title: 'a swap', order: swap, play: deposits('109.2') },
];

afterEach(() => {
  vi.useRealTimers();
});

for (const { title, order, play } of SCENARIOS) {
  test(`${title}: a leg that hangs at any call loses nothing, doubles nothing, and leaves no buyer owed`, async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    for (const moment of ['before', 'after'] as const)
      for (let at = 1; await hangAt({ title, order, play }, { at, moment, hangs: true }); at += 1);
  });

  test(`${title}: a crash at any call loses nothing, doubles nothing, and leaves no buyer owed`, async () => {
    const calls = await countCalls(play, order);
    expect(calls).toBeGreaterThan(5);
    for (let at = 1; at <= calls; at += 1)
      for (const moment of ['before', 'after'] as const) await crashAt({ title, order, play }, at, moment);
  });
}

async function crashAt({ title, order, play }: Scenario, at: number, moment: 'before' | 'after'): Promise<void> {
  const w = world();
  const dying = mortal(w, { at, moment });
  await play(w, dying, order(w.now)).catch((error: unknown) => {
    if (!(error instanceof Crash)) throw error;
  });
  await endOf(w, `${title}, crash ${moment} call ${at}`);
}

/** False if the scenario makes fewer calls. */
async function hangAt({ title, order, play }: Scenario, death: Death): Promise<boolean> {
  const w = world();
  let calls = 0;
  const hanging = mortal(w, death, () => (calls += 1));
  let isDone = false;
  const done = () => (isDone = true);
  void play(w, hanging, order(w.now)).then(done, done);
  for (let second = 0; !isDone && second < 600; second += 1) await vi.advanceTimersByTimeAsync(1_000);
  const hint = `${title}, hanging ${death.moment} call ${death.at}`;
  expect(isDone, hint).toBe(true);
  await endOf(w, hint);
  return calls >= death.at;
}

async function endOf(w: World, hint: string): Promise<void> {
  // The buyer got no response and never answers a next action, so the engine finally cancels the attempt.
  await w.pass(120);
  const found = await w.lookup();
  if (found?.outcome.kind === 'requires_action')
    await w.provider.cancel({ operationId: 'op1', mode: 'test', now: w.now });
  await w.pass(60);
  for (let minute = 0; minute < 45; minute += 1) await passMinute(w);
  const end = await w.lookup();
  expect(end === null || ['succeeded', 'failed', 'cancelled'].includes(end.outcome.kind), hint).toBe(true);
  expect(await owedToCustomers(w), hint).toEqual([]);
  await expectWorldAgreesWithLedger(w, hint);
}

/** Expects chain and ledger to agree: every send is booked, every booked send was made, and nothing stays reserved. */
async function expectWorldAgreesWithLedger(w: World, hint: string): Promise<void> {
  const sends = [...w.chain.sends.values()];
  expect([...w.chain.reservations.keys()], hint).toEqual([]);
  const delivered = sends.filter(({ callId }) => callId.endsWith('-send'));
  expect(delivered.length, hint).toBeLessThanOrEqual(1);
  const entries = await w.store.entries('op1');
  const booked = entries.filter(({ id }) => id.includes(':out') || id.includes(':return:'));
  const onChain = booked.filter(({ postings }) =>
    postings.some(({ account, amount }) => account.startsWith('chain:') && amount.startsWith('-')),
  );
  expect(onChain.length, hint).toBe(sends.length);
}

async function workFor(w: World, provider: LegsProvider, seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    w.now += 1_000;
    await provider.work('test', w.now);
  }
}

async function passMinute(w: World): Promise<void> {
  w.now += 60_000;
  await w.provider.work('test', w.now);
}

async function countCalls(play: Scenario['play'], order: Scenario['order']): Promise<number> {
  const w = world();
  let calls = 0;
  const counting = mortal(w, null, () => {
    calls += 1;
  });
  await play(w, counting, order(w.now));
  return calls;
}
