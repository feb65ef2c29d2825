import { err, ok, type Result } from 'neverthrow';
import type { WireReply } from '../domain/idempotency/idempotency.js';
import { refuse, type Refusal } from '../domain/refusal.js';
import type { ErrorCode } from '../domain/error-code.js';
import type { Change, IdempotencyOutcome, IdempotencyWrite } from '../ports/change.js';
import { commitChange } from './commit-change.js';
import type { Engine } from './engine.js';
import { openReply, sealReply, type Idempotent } from './idempotency/idempotent.js';
import { TryAgain } from './try-again.js';

/** What a use case decided: the change, and the value its caller gets once it is committed. */
export interface Decision<Value> {
  readonly change: Change;
  readonly value: Value;
}

/** The outcome of a decision that was not refused. */
export type Executed<Value> =
  | { readonly kind: 'fresh'; readonly value: Value; readonly reply: WireReply | null }
  | { readonly kind: 'replayed'; readonly reply: WireReply }
  /** The key was `started` by a request that has not sealed its reply. */
  | { readonly kind: 'started'; readonly resourceId: string; readonly taskId: string }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'insufficient'; readonly counter: string };

export type KeyRefusal = Refusal<'idempotency_key_mismatch'>;

/** Takes a decision on fresh state; the attempt counts from 0. */
export type Decide<Value, Code extends ErrorCode> = (
  attempt: number,
) => Promise<Result<Decision<Value>, Refusal<Code>>> | Result<Decision<Value>, Refusal<Code>>;

/**
 * The only writer. Decides, renders and seals the reply before the commit, commits, and decides
 * again on fresh state when the commit was stale, at most `policy.decisionsMax` times. Throws
 * `TryAgain` after that, and whatever the store throws: then the result is unknown and the same
 * key asks again.
 */
export async function execute<Value, Code extends ErrorCode>(
  engine: Engine,
  decide: Decide<Value, Code>,
  idempotent: Idempotent<Value> | null = null,
): Promise<Result<Executed<Value>, Refusal<Code> | KeyRefusal>> {
  for (let attempt = 0; attempt < engine.policy.decisionsMax; attempt += 1) {
    const decided = await decide(attempt);
    if (decided.isErr()) return refusedOrReplayed(engine, decided.error, idempotent);
    const { change, value } = decided.value;
    const reply = idempotent?.render(value) ?? null;
    const outcome = await commitChange(engine, withReply(engine, change, idempotent, reply));
    switch (outcome.kind) {
      case 'committed':
        wakeFor(engine, change);
        return ok({ kind: 'fresh', value, reply });
      case 'stale':
        continue;
      case 'duplicate':
        return ok({ kind: 'duplicate' });
      case 'insufficient':
        return ok({ kind: 'insufficient', counter: outcome.counter });
      case 'replay':
      case 'in_progress':
      case 'key_mismatch':
        if (idempotent === null) throw new Error('A change without a key met a stored reply.');
        return readKey(idempotent, outcome);
    }
  }
  throw new TryAgain();
}

/** A stored reply wins over rules that have changed since (`docs/spec-notes.md` C10). */
async function refusedOrReplayed<Value, Code extends ErrorCode>(
  engine: Engine,
  refusal: Refusal<Code>,
  idempotent: Idempotent<Value> | null,
): Promise<Result<Executed<Value>, Refusal<Code> | KeyRefusal>> {
  const stored = idempotent === null ? null : await findStored(engine, idempotent);
  return stored ?? err(refusal);
}

/** What the key says already, before anything is decided; null when it is free. */
export async function findStored<Value>(
  engine: Engine,
  idempotent: Idempotent<Value>,
): Promise<Result<Executed<Value>, KeyRefusal> | null> {
  const found = await engine.store.findReply(idempotent.ref, engine.clock.now(idempotent.mode));
  return found === null ? null : readKey(idempotent, found);
}

function readKey<Value>(
  idempotent: Idempotent<Value>,
  outcome: IdempotencyOutcome,
): Result<Executed<Value>, KeyRefusal> {
  switch (outcome.kind) {
    case 'replay':
      return ok({ kind: 'replayed', reply: openReply(idempotent, outcome.reply) });
    case 'in_progress':
      return ok({ kind: 'started', resourceId: outcome.resourceId, taskId: outcome.taskId });
    case 'key_mismatch':
      return refuse(
        'idempotency_key_mismatch',
        'This Idempotency-Key was used with a different request; use a new key for a new operation.',
      );
  }
}

/** A change that already says `started` keeps it; any other write of a keyed request carries its sealed reply. */
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

/** Wake-ups are only hints: the rows just committed are what is due. */
function wakeFor(engine: Engine, change: Change): void {
  if (change.deliveries.length > 0) engine.scheduler.wake([{ delayMs: 0 }]);
  const free = change.tasks.filter((task) => task.leaseToken === null);
  if (free.length > 0) engine.scheduler.wake(free.map((task) => ({ delayMs: Math.max(0, task.dueAt - change.now) })));
}

/** The value of a use case that took no key: nothing else can have come of it. */
export function freshValue<Value, Code extends ErrorCode>(
  done: Result<Executed<Value>, Refusal<Code> | KeyRefusal>,
): Result<Value, Refusal<Code>> {
  if (done.isErr()) {
    if (done.error.code === 'idempotency_key_mismatch') throw new Error('A use case without a key met a stored reply.');
    // What is left of the union is the use case's own refusal.
    return err(done.error as Refusal<Code>);
  }
  if (done.value.kind !== 'fresh') throw new Error(`Unexpected outcome of a commit: ${done.value.kind}.`);
  return ok(done.value.value);
}
