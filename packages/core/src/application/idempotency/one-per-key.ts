import { err, ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import { findStored } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from './idempotent.js';

/**
 * Runs the work of a keyed request unless this process is already on it. One that overlaps gets
 * the stored reply if there is one by now, otherwise 409 (spec: Idempotency 7).
 */
export async function onePerKey<Value, Failure>(
  engine: Engine,
  idempotent: Idempotent<Value> | null,
  work: () => Promise<Result<ExecuteResult<Value>, Failure>>,
): Promise<Result<ExecuteResult<Value>, Failure | Refusal<'operation_in_progress' | 'idempotency_key_mismatch'>>> {
  if (idempotent === null) return work();
  if (!engine.inFlight.enter(idempotent.ref)) {
    const stored = await findStored(engine, idempotent);
    if (stored === null) return operationInProgress();
    if (stored.isErr() || stored.value.kind === 'replayed') return stored;
    return operationInProgress();
  }
  try {
    const done = await work();
    return done.isOk() && done.value.kind === 'started' ? operationInProgress() : done.map((value) => value);
  } finally {
    engine.inFlight.leave(idempotent.ref);
  }
}

export function operationInProgress(): ReturnType<typeof refuse<'operation_in_progress'>> {
  return refuse('operation_in_progress', 'Operation already in progress');
}

/** The answer of a use case that nothing but its key could have refused as anything else. */
export function answered<Value>(done: ExecuteResult<Value>): Result<KeyedResult<Value>, never> {
  if (done.kind === 'fresh' || done.kind === 'replayed') return ok(done);
  throw new Error(`Unexpected outcome of a commit: ${done.kind}.`);
}

export type KeyedResult<Value> = Extract<ExecuteResult<Value>, { kind: 'fresh' | 'replayed' }>;

/**
 * For test helpers, whose work is many commits: a repeat finds the sealed reply, and the work is
 * done once as long as the process lives. Money never moves through here.
 */
export async function replayable<Value, Failure extends Refusal>(
  engine: Engine,
  scope: Scope,
  idempotent: Idempotent<Value> | null,
  work: () => Promise<Result<Value, Failure>>,
): Promise<Result<KeyedResult<Value>, Failure | Refusal<'operation_in_progress' | 'idempotency_key_mismatch'>>> {
  const done = await onePerKey<Value, Failure | Refusal<'idempotency_key_mismatch'>>(engine, idempotent, async () => {
    const stored = idempotent === null ? null : await findStored(engine, idempotent);
    if (stored !== null) return stored;
    const worked = await work();
    if (worked.isErr()) return err(worked.error);
    const fresh: ExecuteResult<Value> = { kind: 'fresh', value: worked.value, reply: null };
    if (idempotent === null) return ok(fresh);
    const decide = (value: Value) => ok({ change: emptyChange(scope, engine.clock.now(scope.mode)), value });
    return execute<Value, Value, never>(engine, { load: () => Promise.resolve(ok(worked.value)), decide }, idempotent);
  });
  return done.andThen(answered);
}
