/**
 * A process that runs provider legs on a file until it is killed. The processor and the chain run in the parent process, which answers
 * their calls, so that the effects of a killed process remain.
 */
import { openSqlite, sqliteLegsStore } from '@gateramp/adapters-store-sqlite';
import type { StartOrder } from '@gateramp/core/ports';
import {
  FAKE_CARDS,
  FAKE_CODE,
  fakeChain,
  fakeFiat,
  listOperations,
  memoryLegsStore,
  type ChainLeg,
  type FiatLeg,
  type LegsProvider,
  type LegsStore,
} from '@gateramp/provider-legs';
import {
  buy,
  fakeExchange,
  fakeScreening,
  providerOf,
  sell,
  swap,
} from '../../../packages/provider-legs/test/world.js';
import type { FromLife, Port, Start, ToLife } from './protocol.js';

const TICK_MS = 1_000;
const DRAIN_TICK_MS = 30_000;
/** Longer than the interval at which ended operations are checked for late deposits. */
const QUIET_MS = 15 * 60_000;
const REJECTED_IBAN = 'DE67370400440532010001';

const say = (message: FromLife) => void process.send?.(message);
const waiting = new Map<number, (answer: Extract<ToLife, { kind: 'answer' }>) => void>();
process.on('message', (message: ToLife) => {
  if (message.kind === 'answer') waiting.get(message.id)?.(message);
  else void live(message).then(() => process.disconnect());
});
say({ kind: 'ready' });

async function live(start: Start): Promise<void> {
  const database = openSqlite(start.file);
  const store = sqliteLegsStore(database);
  const chain = outside<ChainLeg>('chain', fakeChain());
  const fiat = outside<FiatLeg>('fiat', fakeFiat({ store: memoryLegsStore() }));
  const provider = providerOf({ store, chain, fiat, screening: fakeScreening(), exchange: fakeExchange() }, () => {});
  for (const rawBody of start.callbacks) {
    const callback = { mode: 'test', now: Date.now(), modeNow: start.now, headers: {}, rawBody } as const;
    // The processor repeats a callback that could not be recorded.
    if (await done(provider.parseCallback(callback))) say({ kind: 'recorded', rawBody });
  }
  await (start.isLast ? drain(provider, store, start.now) : sellAndBuy(provider, start));
  database.close();
}

/** Starts payments and runs rounds of the worker until the process is killed. */
async function sellAndBuy(provider: LegsProvider, { now: began, first }: Start): Promise<void> {
  for (let now = began, nth = first; ; now += TICK_MS, nth += 1) {
    const work = done(provider.work('test', now));
    await done(purchase(provider, orderOf(nth, now)));
    await work;
    say({ kind: 'tick', now, next: nth + 1 });
  }
}

/** Cancels operations that wait for a buyer, and works until all operations have ended. */
async function drain(provider: LegsProvider, store: LegsStore, began: number): Promise<void> {
  let quietSince: number | null = null;
  for (let now = began; ; now += DRAIN_TICK_MS) {
    while ((await provider.work('test', now)) > 0) {
      // A round takes a limited number of operations.
    }
    const left = await unfinished(store);
    for (const { operationId, state } of left)
      if (state.kind === 'awaiting' && state.step !== 'deposit')
        await done(provider.cancel({ operationId, mode: 'test', now }));
    quietSince = left.length === 0 ? (quietSince ?? now) : null;
    if (quietSince !== null && now - quietSince > QUIET_MS) return;
  }
}

async function unfinished(store: LegsStore) {
  const query = { mode: 'test', isStuck: false, after: null, limit: 100_000 } as const;
  const all = await listOperations(store, query);
  return all.filter(({ state }) => state.kind === 'calling' || state.kind === 'awaiting');
}

async function purchase(provider: LegsProvider, order: StartOrder): Promise<void> {
  const answer = await provider.start(order);
  if ('kind' in answer || answer.outcome.kind !== 'requires_action') return;
  const { nextAction } = answer.outcome;
  if (nextAction.type === 'payment_authentication')
    await provider.confirm({ ...order, confirmation: { action: 'payment_authentication', code: FAKE_CODE } });
  if (nextAction.type === 'crypto_deposit') {
    const { address, asset, network, amount } = nextAction;
    await call('chain', 'pay', [address, { asset, network, amount }, order.now]);
  }
}

/** The payment with this number, the same in every process that starts it. */
function orderOf(nth: number, now: number): StartOrder {
  const order = KINDS[nth % KINDS.length]?.(now) ?? buy(now);
  return { ...order, operationId: `op${nth}`, intent: { ...order.intent, operationId: `op${nth}` } };
}

const KINDS: readonly ((now: number) => StartOrder)[] = [
  (now) => buy(now),
  (now) => buy(now, {}, FAKE_CARDS.needsAuthentication),
  (now) => sell(now),
  (now) => buy(now),
  (now) => buy(now, {}, FAKE_CARDS.declines),
  (now) => swap(now),
  (now) => buy(now),
  (now) => sell(now, REJECTED_IBAN),
];

/** A port whose calls run in the parent process. */
function outside<Leg extends object>(port: Port, shape: Leg): Leg {
  return new Proxy(shape, {
    get(target, member, receiver) {
      const value: unknown = Reflect.get(target, member, receiver);
      if (typeof value !== 'function' || member === 'addressProblem') return value;
      return (...args: readonly unknown[]) => call(port, String(member), args);
    },
  });
}

let calls = 0;

function call(port: Port, method: string, args: readonly unknown[]): Promise<unknown> {
  const id = (calls += 1);
  return new Promise((resolve, reject) => {
    waiting.set(id, ({ value, error }) => {
      waiting.delete(id);
      if (error === null) resolve(value);
      else reject(new Error(error));
    });
    say({ kind: 'call', id, port, method, args });
  });
}

/** Whether the work succeeded. A call with an unknown result is repeated later. */
function done(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
