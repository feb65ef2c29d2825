import { fixedPrices, fixedSpread, type LegsWorkerOptions } from '@gateramp/provider-legs';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { answered, buy, providerOf, START, world } from './world.js';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const never = (): Promise<never> => new Promise(() => undefined);
const PAIR = { asset: 'USDC', currency: 'EUR' } as const;

/** Starts the worker of a provider on a clock that goes with the fake timers. */
function working(provider: ReturnType<typeof world>['provider'], options: Partial<LegsWorkerOptions> = {}) {
  const errors: string[] = [];
  let now = START;
  const worker = provider.startWorker({ now: () => now, onError: (error) => errors.push(String(error)), ...options });
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second += 1) {
      now += 1_000;
      await vi.advanceTimersByTimeAsync(1_000);
    }
  };
  return { worker, errors, pass };
}

test('a send whose result is late is unknown: it is looked up by its call id, and the tokens are sent once', async () => {
  const w = world();
  let sends = 0;
  const send: typeof w.chain.send = async (order) => {
    sends += 1;
    const sent = await w.chain.send(order);
    return sends === 1 ? never() : sent;
  };
  const provider = providerOf({ ...w, chain: { ...w.chain, send } }, () => undefined);
  const started = provider.start(buy(w.now)).catch(String);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(await started).toBe('Error: fake.send did not answer within 45 s.');
  for (let second = 0; second < 60; second += 1) await provider.work('test', (w.now += 1_000));
  expect(answered(await w.lookup()).outcome.kind).toBe('succeeded');
  expect(sends).toBeGreaterThan(1);
  expect(w.chain.sends.size).toBe(1);
});

test('a worker continues other operations while a leg hangs on one, and that one again after 45 s', async () => {
  const w = world();
  const hung = new Set<string>();
  let isStarting = true;
  const send: typeof w.chain.send = (order) => {
    if (isStarting) throw new Error('The chain does not answer.');
    const isHanging = order.callId.startsWith('op1') && !hung.has(order.callId);
    hung.add(order.callId);
    return isHanging ? never() : w.chain.send(order);
  };
  const provider = providerOf({ ...w, chain: { ...w.chain, send } }, () => undefined);
  const { worker, errors, pass } = working(provider);
  for (const operationId of ['op1', 'op2']) await provider.start({ ...buy(START), operationId }).catch(() => undefined);
  isStarting = false;
  await pass(30);
  expect(answered(await w.lookup('op1')).outcome.kind).toBe('processing');
  expect(answered(await w.lookup('op2')).outcome.kind).toBe('succeeded');
  await pass(60);
  expect(answered(await w.lookup('op1')).outcome.kind).toBe('succeeded');
  expect(errors).toEqual(['Error: fake.send did not answer within 45 s.']);
  await worker.stop();
});

test('a worker checks prices and the statement again after an exchange and a statement that hang', async () => {
  const w = world();
  const calls = { unavailable: 0, statement: 0 };
  const unavailable = () => ((calls.unavailable += 1), never());
  const statement = () => ((calls.statement += 1), never());
  const legs = { ...w, exchange: { ...w.exchange, unavailable }, fiat: { ...w.fiat, statement } };
  const { worker, pass } = working(providerOf(legs, () => undefined));
  await pass(150);
  expect(calls.unavailable).toBeGreaterThanOrEqual(2 * w.exchange.pairs.length);
  expect(calls.statement).toBeGreaterThanOrEqual(2);
  const stopped = worker.stop();
  await vi.advanceTimersByTimeAsync(45_000);
  await stopped;
});

test('a price needs only a quorum of sources that answer in time', async () => {
  const fixed = fixedPrices({ 'USDC/EUR': '0.92' });
  const exchange = fixedSpread({ pairs: [PAIR], sources: [fixed, never], quorum: 1, spreadBps: 0 });
  const asked = exchange.price(PAIR, START);
  await vi.advanceTimersByTimeAsync(2_400);
  expect(await asked).toMatchObject({ kind: 'price', bid: '0.92' });
});
