import type { Result } from 'neverthrow';
import type { ErrorCode } from '../../domain/error-code.js';
import type { Refusal } from '../../domain/refusal.js';
import type { Change } from '../../ports/change.js';

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
}
