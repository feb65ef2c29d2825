import {
  finishTask,
  newTask,
  postponeTask,
  type Refusal,
  refuse,
  type Restricted,
  scopeOf,
  SECOND,
  storable,
  type Task,
} from '@gateramp/core/domain';
import {
  apply,
  documentWrite,
  type Engine,
  executeKeyed,
  findKeptRow,
  findRow,
  finishing,
  type Idempotent,
  type Keyed,
  takesOn,
} from '@gateramp/core/extension';
import { type Change, emptyChange } from '@gateramp/core/ports';
import { err, ok, type Result } from 'neverthrow';
import type { PoolQuote } from './pool-quote.js';
import { balanceMoves, beginTrade, checkDestination, type PoolTrade, settle, type Settlement } from './pool-trade.js';
import {
  findPool,
  noPoolProvider,
  POOL_QUOTES,
  POOL_TRADE_HASHES,
  POOL_TRADES,
  type PoolRefusal,
  type PoolsCaller,
  whyPoolRestricted,
  type PoolsEngine,
} from './read-pools.js';

/** The kind of the task of a trade. */
export const SETTLEMENT = 'pool_settlement';

/** Minimum interval between calls of the pool provider for one trade. */
const CHECK_GAP_MIN = SECOND;

interface Transact {
  readonly poolId: string;
  readonly quoteId: string;
  readonly destAddress: string;
}

export interface Transacted {
  readonly trade: PoolTrade;
  /** False if the quote had already been executed; `trade` is then the existing one. */
  readonly isNew: boolean;
}

type DecisionRefusal =
  | PoolRefusal
  | Refusal<Restricted['code'] | 'quote_not_found' | 'quote_expired' | 'terms_mismatch'>;

type TransactRefusal = DecisionRefusal | Refusal<'insufficient_balance'>;

/**
 * Executes a quote once. One commit reserves both amounts, writes the trade, marks the quote and creates the settlement task, so that every
 * reservation belongs to a trade that will be settled or released. Of two concurrent requests for one quote, the second finds the quote
 * changed and returns the first one's trade.
 */
export function transactPool(
  { engine, provider }: PoolsEngine,
  caller: PoolsCaller,
  input: Transact,
  idempotent: Idempotent<Transacted> | null,
): Keyed<Transacted, TransactRefusal> {
  return executeKeyed<Executable, Transacted, TransactRefusal['code']>(
    engine,
    {
      load: () => executable({ engine, provider }, caller, input),
      decide: ({ quote, trade }) => (trade === null ? begin(engine, quote) : ok(known(engine, trade))),
      insufficient: {
        code: 'insufficient_balance',
        message: 'The balance of this pool is too low for this trade; nothing was moved.',
      },
    },
    idempotent,
  );
}

interface Executable {
  readonly quote: PoolQuote;
  /** The trade that executed the quote. */
  readonly trade: PoolTrade | null;
}

async function executable(
  { engine, provider }: PoolsEngine,
  caller: PoolsCaller,
  { poolId, quoteId, destAddress }: Transact,
): Promise<Result<Executable, DecisionRefusal>> {
  const pool = await findPool(engine, caller, poolId);
  if (pool.isErr()) return err(pool.error);
  const { store, clock } = engine;
  const quote = await findKeptRow(store, POOL_QUOTES, caller.scope, quoteId, clock.now(caller.scope));
  if (quote?.poolId !== poolId) return refuse('quote_not_found', 'There is no such quote of this pool.');
  const destination = checkDestination(quote, destAddress);
  if (destination.isErr()) return err(destination.error);
  if (quote.tradeId === null) {
    // The quote may be older than the restrictions; an existing trade is returned whatever they are.
    const restricted = whyPoolRestricted(caller, { ...pool.value, amount: quote.amountIn });
    if (restricted !== null) return refuse(restricted.code, restricted.message);
    return takesOn(provider, caller.scope.mode) ? ok({ quote, trade: null }) : noPoolProvider();
  }
  const trade = await findRow(store, POOL_TRADES, caller.scope, quote.tradeId);
  if (trade === null) throw new Error('An executed quote has no trade: they are written together.');
  return ok({ quote, trade });
}

function begin(engine: Engine, quote: PoolQuote) {
  const { partnerId, mode } = quote;
  const now = engine.clock.now(quote);
  return beginTrade(quote, { id: engine.ids.object(now), now }).map((trade) => {
    const task = { id: engine.ids.object(now), kind: SETTLEMENT, subjectId: trade.id, dueAt: now } as const;
    const change: Change = {
      ...emptyChange({ partnerId, mode }, now),
      documents: [
        documentWrite(POOL_QUOTES, { ...quote, tradeId: trade.id }, quote),
        documentWrite(POOL_TRADES, trade, null),
      ],
      tasks: [newTask({ ...task, partnerId, mode }, now)],
      counters: balanceMoves(null, trade),
    };
    return { change, value: { trade, isNew: true } };
  });
}

/** The existing trade; writes nothing but the reply under the key. */
function known(engine: Engine, trade: PoolTrade) {
  return { change: emptyChange(scopeOf(trade), engine.clock.now(trade)), value: { trade, isNew: false } };
}

/**
 * Asks the provider to settle a trade, or for its progress, and commits the answer. The first call starts the settlement and later ones
 * only read it, so repeating it after a crash or while it is pending is safe.
 */
export async function settleTrade({ engine, provider }: PoolsEngine, task: Task): Promise<void> {
  const trade = await loadTrade(engine, task);
  const settlement = await provider.settle({ trade, now: engine.clock.now(task) });
  await apply(engine, {
    load: () => loadTrade(engine, task),
    decide: (before) => ({ change: outcomeOf(engine, task, before, storable(settlement)), value: null }),
  });
}

function outcomeOf(engine: Engine, task: Task, before: PoolTrade, settlement: Settlement): Change {
  const now = engine.clock.now(task);
  const next = settle(before, settlement, now);
  return {
    ...emptyChange(scopeOf(task), now),
    documents: next === before ? [] : [documentWrite(POOL_TRADES, next, before), ...hashWrites(next)],
    counters: balanceMoves(before, next),
    finishes: finishing(nextTask(engine, task, next, settlement, now), task),
  };
}

/** The row by which an ended trade is found. A settlement is committed once, so the row is new. */
function hashWrites({ txHash, partnerId, mode, id, createdAt }: PoolTrade): Change['documents'] {
  return txHash === null
    ? []
    : [documentWrite(POOL_TRADE_HASHES, { partnerId, mode, id, version: 0, createdAt, txHash }, null)];
}

/** A trade has one task, which stays pending until the trade ends. */
function nextTask(engine: Engine, task: Task, trade: PoolTrade, settlement: Settlement, now: number): Task {
  if (trade.status !== 'processing' || settlement.kind !== 'processing') return finishTask(task);
  return postponeTask(task, now + Math.max(settlement.checkAfterMs, CHECK_GAP_MIN));
}

async function loadTrade({ store }: Engine, task: Task): Promise<PoolTrade> {
  const trade = await findRow(store, POOL_TRADES, scopeOf(task), task.subjectId);
  if (trade === null) throw new Error('A stored trade is missing.');
  return trade;
}
