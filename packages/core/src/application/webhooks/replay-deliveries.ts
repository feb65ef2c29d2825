import { ok, type Result } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import type { Refusal } from '../../domain/refusal.js';
import { replay } from '../../domain/webhook/replay.js';
import { emptyChange } from '../../ports/change.js';
import type { DeliveryFilter } from '../../ports/rows.js';
import { execute } from '../commit/execute.js';
import type { KeyRefusal } from '../commit/stored-reply.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { answered, onePerKey, type Answered } from '../idempotency/one-per-key.js';
import { listKeptDeliveries } from './kept-deliveries.js';
import { webhookUrl, type NoWebhookUrl } from './webhook-url.js';

/** Which dead-lettered deliveries, and how many of them. */
export interface ReplayRequest extends Pick<
  DeliveryFilter,
  'eventType' | 'sessionId' | 'createdAfter' | 'createdBefore'
> {
  readonly limit: number;
}

export interface ReplayedMany {
  readonly replayed: number;
  /** Others fit too; the next call takes them. */
  readonly hasMore: boolean;
}

/** Sends what an outage left dead-lettered again, the oldest first, all of one call in one commit. */
export async function replayDeliveries(
  engine: Engine,
  scope: Scope,
  { limit, ...which }: ReplayRequest,
  idempotent: Idempotent<ReplayedMany> | null,
): Promise<Result<Answered<ReplayedMany>, NoWebhookUrl | KeyRefusal | Refusal<'operation_in_progress'>>> {
  const filter: DeliveryFilter = { ...which, status: 'dead_lettered', eventId: null, target: 'webhook' };
  const done = await onePerKey(engine, idempotent, () =>
    execute(
      engine,
      {
        load: async () => {
          const url = await webhookUrl(engine, scope);
          if (url.isErr()) return url.map(() => []);
          return ok(await listKeptDeliveries(engine, scope, filter, { start: OLDEST, limit }));
        },
        decide: (records) => {
          const now = engine.clock.now(scope.mode);
          const replays = records.slice(0, limit).flatMap(({ delivery }) => replay(delivery, now).unwrapOr([]));
          const value = { replayed: replays.length, hasMore: records.length > limit };
          return ok({ change: { ...emptyChange(scope, now), replays }, value });
        },
      },
      idempotent,
    ),
  );
  return done.andThen(answered);
}

/** Every id comes after none. */
const OLDEST = { kind: 'before', id: '' } as const;
