import { ok, type Result } from 'neverthrow';
import type { WireReply } from '../../domain/idempotency/idempotency.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import type { IdempotencyOutcome } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import { openReply, type Idempotent } from '../idempotency/idempotent.js';

/** What a key says that was used before. */
export type Known =
  | { readonly kind: 'replayed'; readonly reply: WireReply }
  /** It was `started` by a request that has not sealed its reply. */
  | { readonly kind: 'started'; readonly resourceId: string; readonly taskId: string };

export type KeyRefusal = Refusal<'idempotency_key_mismatch'>;

/** What the key says already, before anything is decided; null when it is free. */
export async function findStored<Value>(
  engine: Engine,
  idempotent: Idempotent<Value>,
): Promise<Result<Known, KeyRefusal> | null> {
  const found = await engine.store.findReply(idempotent.ref, engine.clock.now(idempotent.mode));
  return found === null ? null : knownOf(idempotent, found);
}

export function knownOf<Value>(idempotent: Idempotent<Value>, outcome: IdempotencyOutcome): Result<Known, KeyRefusal> {
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
