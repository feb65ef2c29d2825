import type { Engine } from '../engine.js';
import { commitChange, type Committed } from './commit-change.js';
import type { Decision } from './decision.js';
import { onFreshState } from './try-again.js';

/** A change without an idempotency key and without a caller to refuse: an expiry, a lapse, the end of a task. */
export interface Upkeep<Facts, Value> {
  /** Reads everything the decision needs. */
  readonly load: () => Promise<Facts>;
  /** Decides on what was read and on nothing else. */
  readonly decide: (facts: Facts) => Decision<Value> | Unchanged<Value>;
}

/** There is nothing to write. */
export interface Unchanged<Value> {
  readonly change: null;
  readonly value: Value;
}

export function unchanged<Value>(value: Value): Unchanged<Value> {
  return { change: null, value };
}

export interface Applied<Value> {
  /** `duplicate` and `lost` changed nothing: a mark was set already, or another has the task by now. */
  readonly outcome: 'unchanged' | Extract<Committed['kind'], 'committed' | 'duplicate' | 'lost'>;
  readonly value: Value;
}

/**
 * Writes a change without a key: loads, decides, commits, and again on fresh state while the commit is stale. Throws `TryAgain` when that
 * does not end, and whatever the store throws: then the result is unknown, and the next reader finds out.
 */
export function apply<Facts, Value>(engine: Engine, { load, decide }: Upkeep<Facts, Value>): Promise<Applied<Value>> {
  return onFreshState(engine, async () => {
    const { change, value } = decide(await load());
    if (change === null) return { outcome: 'unchanged', value };
    const done = await commitChange(engine, change);
    if (done === null) return null;
    if (done.kind === 'committed' || done.kind === 'duplicate' || done.kind === 'lost')
      return { outcome: done.kind, value };
    throw new Error(`Unexpected outcome of a change without a key: ${done.kind}.`);
  });
}
