import { err, ok, type Result } from 'neverthrow';
import type { WireReply } from '../../domain/idempotency/idempotency.js';
import type { Refusal } from '../../domain/refusal.js';
import type { ErrorCode } from '../../domain/error-code.js';
import type { Change, IdempotencyWrite } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import { isRecorded, traced } from '../tracing.js';
import { sealReply, type Idempotent } from '../idempotency/idempotent.js';
import { commitChange } from './commit-change.js';
import { onFreshState, type UseCase } from './apply.js';
import { findStored, type KeyRefusal, type StoredKeyResult, storedKeyResult } from './row-writes.js';

/** The result of a use case that was not refused. */
export type ExecuteResult<Value> =
  | { readonly kind: 'fresh'; readonly value: Value; readonly reply: WireReply | null }
  | StoredKeyResult
  | { readonly kind: 'duplicate' }
  /** Another worker holds the task that the change was to finish; nothing was written. */
  | { readonly kind: 'lost' }
  | { readonly kind: 'insufficient'; readonly counter: string };

/**
 * Runs a use case: loads, decides, renders and seals the reply, commits, and repeats on fresh state while the commit is stale. Throws
 * `TryAgain` after too many repeats. Store errors are passed on; the result is then unknown, and a retry with the same key finds it.
 */
export function execute<Facts, Value, Code extends ErrorCode>(
  engine: Engine,
  { load, decide, insufficient }: UseCase<Facts, Value, Code>,
  idempotent: Idempotent<Value> | null = null,
): Promise<Result<ExecuteResult<Value>, Refusal<Code> | KeyRefusal>> {
  return onFreshState(engine, async () => {
    const decided = isRecorded(engine)
      ? await traced(engine, 'decide', async () => (await load()).andThen(decide))
      : (await load()).andThen(decide);
    if (decided.isErr()) return refusedOrReplayed(engine, decided.error, idempotent);
    const { change, value, audited } = decided.value;
    const reply = idempotent?.render(value) ?? null;
    const done = await commitChange(engine, withReply(engine, change, idempotent, reply), audited);
    switch (done?.kind) {
      case undefined:
        return null;
      case 'committed':
        return ok({ kind: 'fresh', value, reply });
      case 'duplicate':
        return ok({ kind: 'duplicate' });
      case 'insufficient':
        return insufficient === undefined ? ok(done) : err(insufficient);
      case 'lost':
        return ok(done);
      case 'replay':
      case 'in_progress':
      case 'key_mismatch':
        if (idempotent === null) throw new Error('A change without a key met a stored reply.');
        return storedKeyResult(idempotent, done);
    }
  });
}

/** A stored reply takes precedence over rules that have changed since (`docs/spec-notes.md` C10). */
async function refusedOrReplayed<Value, Code extends ErrorCode>(
  engine: Engine,
  refusal: Refusal<Code>,
  idempotent: Idempotent<Value> | null,
): Promise<Result<ExecuteResult<Value>, Refusal<Code> | KeyRefusal>> {
  const stored = idempotent === null ? null : await findStored(engine, idempotent);
  return stored ?? err(refusal);
}

/** Adds the sealed reply to the write of a keyed request, unless the change already stores the key as `started`. */
function withReply<Value>(
  engine: Engine,
  change: Change,
  idempotent: Idempotent<Value> | null,
  reply: WireReply | null,
): Change {
  if (idempotent === null || reply === null || change.idempotency?.state.kind === 'started') return change;
  const write: IdempotencyWrite = {
    kind: idempotent.write,
    ref: idempotent.ref,
    state: { kind: 'sealed', reply: sealReply(idempotent, reply) },
    expiresAt: change.now + engine.policy.idempotencyRetention,
  };
  return { ...change, idempotency: write };
}

/** The value of a use case without a key, which has no other result. */
export function freshValue<Value, Code extends ErrorCode>(
  done: Result<ExecuteResult<Value>, Refusal<Code> | KeyRefusal>,
): Result<Value, Refusal<Code>> {
  if (done.isErr()) {
    if (done.error.code === 'idempotency_key_mismatch') throw new Error('A use case without a key met a stored reply.');
    // The remaining member of the union is the use case's own refusal.
    return err(done.error as Refusal<Code>);
  }
  if (done.value.kind !== 'fresh') throw new Error(`Unexpected outcome of a commit: ${done.value.kind}.`);
  return ok(done.value.value);
}
