import type { Result } from 'neverthrow';
import type { AuditedChange } from '../../domain/audit.js';
import type { ErrorCode } from '../../domain/error-code.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Change } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import { isRecorded, traced } from '../tracing.js';
import { commitChange, type ChangeResult } from './commit-change.js';

/** Number of decisions on stale state before 503 `try_again`. */
const DECISIONS_MAX = 3;

/** The decision of a use case: the change, and the value returned once it is committed. */
export interface Decision<Value> {
  readonly change: Change;
  readonly value: Value;
  /** What the change means for the audit trail, if it is administrative. */
  readonly audited?: readonly AuditedChange[];
}

/**
 * The two halves of a use case. Both run again, in this order, when the state has changed before the commit, so a decision never waits and
 * is never based on facts loaded for another one.
 */
export interface UseCase<Facts, Value, Code extends ErrorCode> {
  /** Loads everything the decision needs. */
  readonly load: () => Promise<Result<Facts, Refusal<Code>>>;
  /** Decides on the loaded facts alone. */
  readonly decide: (facts: Facts) => Result<Decision<Value>, Refusal<Code>>;
  /** The refusal when a counter of the change would fall below its minimum. */
  readonly insufficient?: Refusal<Code>;
}

/**
 * The state changed during each of three decisions, or a document could not be delivered. Nothing was changed; the HTTP ring responds with
 * 503 `try_again`.
 */
export class TryAgain extends Error {
  override readonly name = 'TryAgain';

  constructor(message = 'The resource was changed concurrently; try again.') {
    super(message);
  }
}

/**
 * Runs `once` again on fresh state while it returns null, which means that the state changed before the commit. Throws `TryAgain` after
 * `DECISIONS_MAX` runs.
 */
export async function onFreshState<Answer>(engine: Engine, once: () => Promise<Answer | null>): Promise<Answer> {
  for (let count = 0; count < DECISIONS_MAX; count += 1) {
    const answer = await once();
    if (answer !== null) return answer;
  }
  throw new TryAgain();
}

/** A change without an idempotency key and without a caller to refuse, such as an expiry or the end of a task. */
interface UnkeyedChange<Facts, Value> {
  /** Loads everything the decision needs. */
  readonly load: () => Promise<Facts>;
  /** Decides on the loaded facts alone. */
  readonly decide: (facts: Facts) => Decision<Value> | Unchanged<Value>;
}

/** A decision without a change. */
interface Unchanged<Value> {
  readonly change: null;
  readonly value: Value;
}

/** The decision to change nothing: `apply` then returns this value without a commit. */
export function unchanged<Value>(value: Value): Unchanged<Value> {
  return { change: null, value };
}

interface ApplyResult<Value> {
  /** `duplicate` and `lost` changed nothing: a mark was already set, or another worker now holds the task. */
  readonly outcome: 'unchanged' | Extract<ChangeResult['kind'], 'committed' | 'duplicate' | 'lost'>;
  readonly value: Value;
}

/**
 * Commits a change without a key: loads, decides and commits, and repeats on fresh state while the commit is stale. Throws `TryAgain` after
 * too many repeats. Store errors are passed on; the result is then unknown until the next read.
 */
export function apply<Facts, Value>(
  engine: Engine,
  { load, decide }: UnkeyedChange<Facts, Value>,
): Promise<ApplyResult<Value>> {
  return onFreshState(engine, async () => {
    const decision = isRecorded(engine)
      ? await traced(engine, 'decide', async () => decide(await load()))
      : decide(await load());
    const { change, value } = decision;
    if (change === null) return { outcome: 'unchanged', value };
    const done = await commitChange(engine, change, decision.audited);
    if (done === null) return null;
    if (done.kind === 'committed' || done.kind === 'duplicate' || done.kind === 'lost')
      return { outcome: done.kind, value };
    throw new Error(`Unexpected outcome of a change without a key: ${done.kind}.`);
  });
}
