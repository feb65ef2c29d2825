import type { Result } from 'neverthrow';
import type { ErrorCode } from '../../domain/error-code.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Change } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import { commitChange, type ChangeResult } from './commit-change.js';

/** Decisions taken again on fresh state before 503 `try_again`. */
const DECISIONS_MAX = 3;

/** What a use case decided: the change, and the value its caller gets once it is committed. */
export interface Decision<Value> {
  readonly change: Change;
  readonly value: Value;
}

/**
 * A use case in its two halves. Both run again, in this order, when the state has moved on before the commit; so a decision never waits,
 * and is never taken on what was read for another one.
 */
export interface UseCase<Facts, Value, Code extends ErrorCode> {
  /** Reads everything the decision needs. */
  readonly load: () => Promise<Result<Facts, Refusal<Code>>>;
  /** Decides on what was read and on nothing else. */
  readonly decide: (facts: Facts) => Result<Decision<Value>, Refusal<Code>>;
  /** The refusal if a counter of the change would fall below what it may. */
  readonly insufficient?: Refusal<Code>;
}

/**
 * The state kept moving while a decision was taken, three times in a row, or a document could not be delivered. Nothing was
 * changed; the HTTP ring answers 503 `try_again`.
 */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';

  constructor(message = 'The resource was changed concurrently; try again.') {
    super(message);
  }
}

/**
 * Loads, decides and commits, and does so again on fresh state while the answer is null: the state had moved on before the commit. At most
 * `DECISIONS_MAX` times; then it throws `TryAgain`.
 */
export async function onFreshState<Answer>(engine: Engine, once: () => Promise<Answer | null>): Promise<Answer> {
  for (let count = 0; count < DECISIONS_MAX; count += 1) {
    const answer = await once();
    if (answer !== null) return answer;
  }
  throw new TryAgain();
}

/** A change without an idempotency key and without a caller to refuse: an expiry, a lapse, the end of a task. */
interface UnkeyedChange<Facts, Value> {
  /** Reads everything the decision needs. */
  readonly load: () => Promise<Facts>;
  /** Decides on what was read and on nothing else. */
  readonly decide: (facts: Facts) => Decision<Value> | Unchanged<Value>;
}

/** There is nothing to write. */
interface Unchanged<Value> {
  readonly change: null;
  readonly value: Value;
}

export function unchanged<Value>(value: Value): Unchanged<Value> {
  return { change: null, value };
}

interface ApplyResult<Value> {
  /** `duplicate` and `lost` changed nothing: a mark was set already, or another has the task by now. */
  readonly outcome: 'unchanged' | Extract<ChangeResult['kind'], 'committed' | 'duplicate' | 'lost'>;
  readonly value: Value;
}

/**
 * Writes a change without a key: loads, decides, commits, and again on fresh state while the commit is stale. Throws `TryAgain` when that
 * does not end, and whatever the store throws: then the result is unknown, and the next reader finds out.
 */
export function apply<Facts, Value>(
  engine: Engine,
  { load, decide }: UnkeyedChange<Facts, Value>,
): Promise<ApplyResult<Value>> {
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
