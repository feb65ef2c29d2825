import { storable } from '../../domain/json/storable.js';
import { scopeOf } from '../../domain/mode.js';
import { balanceMoves } from '../../domain/pools/pool-balance.js';
import { settle, type PoolTrade, type Settlement } from '../../domain/pools/pool-trade.js';
import { finishTask, postponeTask, type Task } from '../../domain/task/task.js';
import { emptyChange, type Change } from '../../ports/change.js';
import { apply } from '../commit/apply.js';
import { documentWrite, findRow } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { POOL_TRADES } from './kinds.js';

/**
 * Asks the provider to carry a trade out, or how far it has come, and commits the answer with what follows from it. The
 * first question begins the settlement and any other changes nothing, so it is asked again after a crash, or while it
 * is under way, without a second thought.
 */
export async function settleTrade(engine: Engine, task: Task): Promise<void> {
  const trade = await loadTrade(engine, task);
  const settlement = await engine.pools.settle({ trade, now: engine.clock.now(task.mode) });
  await apply(engine, {
    load: () => loadTrade(engine, task),
    decide: (before) => ({ change: outcomeOf(engine, task, before, storable(settlement)), value: null }),
  });
}

function outcomeOf(engine: Engine, task: Task, before: PoolTrade, settlement: Settlement): Change {
  const now = engine.clock.now(task.mode);
  const next = settle(before, settlement, now);
  return {
    ...emptyChange(scopeOf(task), now),
    documents: next === before ? [] : [documentWrite(POOL_TRADES, next, before)],
    counters: balanceMoves(before, next),
    finishes: [{ row: nextTask(engine, task, next, settlement, now), leaseToken: leaseOf(task) }],
  };
}

/** The one task of a trade lives as long as the trade is under way. */
function nextTask(engine: Engine, task: Task, trade: PoolTrade, settlement: Settlement, now: number): Task {
  if (trade.status !== 'processing' || settlement.kind !== 'processing') return finishTask(task);
  return postponeTask(task, now + Math.max(settlement.checkAfterMs, engine.policy.poolCheckGapMin));
}

function leaseOf({ leaseToken }: Task): string {
  if (leaseToken === null) throw new Error('A task needs a lease to be run.');
  return leaseToken;
}

async function loadTrade({ store }: Engine, task: Task): Promise<PoolTrade> {
  const trade = await findRow(store, POOL_TRADES, scopeOf(task), task.subjectId);
  if (trade === null) throw new Error('A stored trade is missing.');
  return trade;
}
