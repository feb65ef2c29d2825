import { err, ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import type { Refusal } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import { execute, type Executed } from '../commit/execute.js';
import { findStored } from '../commit/stored-reply.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from './idempotent.js';
import { answered, onePerKey, type Answered } from './one-per-key.js';

/**
 * For test helpers, whose work is many commits: a repeat finds the sealed reply, and the work is
 * done once as long as the process lives. Money never moves through here.
 */
export async function replayable<Value, Failure extends Refusal>(
  engine: Engine,
  scope: Scope,
  idempotent: Idempotent<Value> | null,
  work: () => Promise<Result<Value, Failure>>,
): Promise<Result<Answered<Value>, Failure | Refusal<'operation_in_progress' | 'idempotency_key_mismatch'>>> {
  const done = await onePerKey<Value, Failure | Refusal<'idempotency_key_mismatch'>>(engine, idempotent, async () => {
    const stored = idempotent === null ? null : await findStored(engine, idempotent);
    if (stored !== null) return stored;
    const worked = await work();
    if (worked.isErr()) return err(worked.error);
    const fresh: Executed<Value> = { kind: 'fresh', value: worked.value, reply: null };
    if (idempotent === null) return ok(fresh);
    const decide = (value: Value) => ok({ change: emptyChange(scope, engine.clock.now(scope.mode)), value });
    return execute<Value, Value, never>(engine, { load: () => Promise.resolve(ok(worked.value)), decide }, idempotent);
  });
  return done.andThen(answered);
}
