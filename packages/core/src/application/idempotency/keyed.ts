import { err, ok, type Result } from 'neverthrow';
import type { ErrorCode } from '../../domain/error-code.js';
import type { Scope } from '../../domain/mode.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import { execute, type ExecuteResult } from '../commit/execute.js';
import { findStored, type KeyRefusal } from '../commit/row-writes.js';
import type { UseCase } from '../commit/apply.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from './idempotent.js';

/** The result of a keyed use case: a fresh value, or the key's sealed reply. */
export type KeyedResult<Value> = Extract<ExecuteResult<Value>, { kind: 'fresh' | 'replayed' }>;

/** The refusals of a key. */
export type KeyedRefusal = Refusal<'operation_in_progress' | 'idempotency_key_mismatch'>;

/** The result type of a use case that takes a key. */
export type Keyed<Value, Failure> = Promise<Result<KeyedResult<Value>, Failure | KeyedRefusal>>;

/** Runs a use case with a single commit under its key, if it has one. */
export function executeKeyed<Facts, Value, Code extends ErrorCode>(
  engine: Engine,
  useCase: UseCase<Facts, Value, Code>,
  idempotent: Idempotent<Value> | null,
): Keyed<Value, Refusal<Code>> {
  return keyed(engine, idempotent, () => execute(engine, useCase, idempotent));
}

/**
 * Runs the work of a keyed request unless this process is already running it. An overlapping request gets the stored reply if there is one
 * by now, otherwise 409 (spec: Idempotency 7).
 */
export async function keyed<Value, Failure>(
  engine: Engine,
  idempotent: Idempotent<Value> | null,
  work: () => Promise<Result<ExecuteResult<Value>, Failure>>,
): Keyed<Value, Failure> {
  const done = await onePerKey(engine, idempotent, work);
  return done.andThen((result) => {
    if (result.kind === 'fresh' || result.kind === 'replayed') return ok(result);
    throw new Error(`Unexpected outcome of a commit: ${result.kind}.`);
  });
}

/** Returns the stored reply, or runs the work. For work that does more than decide. */
export async function unlessStored<Value, Failure>(
  engine: Engine,
  idempotent: Idempotent<Value> | null,
  work: () => Promise<Result<ExecuteResult<Value>, Failure>>,
): Promise<Result<ExecuteResult<Value>, Failure | KeyRefusal>> {
  const stored = idempotent === null ? null : await findStored(engine, idempotent);
  return stored ?? work();
}

async function onePerKey<Value, Failure>(
  engine: Engine,
  idempotent: Idempotent<Value> | null,
  work: () => Promise<Result<ExecuteResult<Value>, Failure>>,
): Promise<Result<ExecuteResult<Value>, Failure | KeyedRefusal>> {
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

/** The refusal of a request while another one on the same key or object is in progress. */
export function operationInProgress(): ReturnType<typeof refuse<'operation_in_progress'>> {
  return refuse('operation_in_progress', 'Operation already in progress');
}

/**
 * For work that is not a single commit: test helpers and provider calls. A repeat finds the sealed reply; the work runs again only if the
 * process ends before the reply is sealed. Never used for calls that move money.
 */
export function replayable<Value, Failure extends Refusal>(
  engine: Engine,
  scope: Scope,
  idempotent: Idempotent<Value> | null,
  work: () => Promise<Result<Value, Failure>>,
): Keyed<Value, Failure> {
  return keyed(engine, idempotent, () =>
    unlessStored(engine, idempotent, async (): Promise<Result<ExecuteResult<Value>, Failure | KeyRefusal>> => {
      const worked = await work();
      if (worked.isErr()) return err(worked.error);
      if (idempotent === null) return ok({ kind: 'fresh', value: worked.value, reply: null });
      const decide = (value: Value) => ok({ change: emptyChange(scope, engine.clock.now(scope)), value });
      return execute<Value, Value, never>(
        engine,
        { load: () => Promise.resolve(ok(worked.value)), decide },
        idempotent,
      );
    }),
  );
}
