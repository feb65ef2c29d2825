import { err, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import type { Refusal } from '../../domain/refusal.js';
import { replay, type NotDeadLettered } from '../../domain/webhook/replay.js';
import { emptyChange } from '../../ports/change.js';
import type { DeliveryRecord } from '../../ports/rows.js';
import { execute } from '../commit/execute.js';
import type { KeyRefusal } from '../commit/stored-reply.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { findDelivery } from './find-delivery.js';
import { webhookUrl, type NoWebhookUrl } from './webhook-url.js';

export type ReplayRefusal = Refusal<'delivery_not_found'> | NotDeadLettered | NoWebhookUrl;

/** Sends a dead-lettered delivery again, with the event's own bytes and a fresh budget (spec: Delivery rules 2). */
export async function replayDelivery(
  engine: Engine,
  scope: Scope,
  id: string,
  idempotent: Idempotent<DeliveryRecord> | null,
): Promise<Result<Answered<DeliveryRecord>, ReplayRefusal | KeyRefusal | Refusal<'operation_in_progress'>>> {
  const done = await onePerKey(engine, idempotent, () =>
    execute(
      engine,
      {
        load: async () => {
          const found = await findDelivery(engine, scope, id);
          if (found.isErr()) return err(found.error);
          const url = await webhookUrl(engine, scope);
          return url.map(() => found.value);
        },
        decide: ({ delivery, attempts }) => {
          const now = engine.clock.now(scope.mode);
          return replay(delivery, now).map((again) => ({
            change: { ...emptyChange(scope, now), replays: [again] },
            value: { delivery: again, attempts },
          }));
        },
      },
      idempotent,
    ),
  );
  return done.andThen(answered);
}
