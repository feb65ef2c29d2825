import { err, ok } from 'neverthrow';
import type { Scope } from '../../domain/mode.js';
import type { Refusal } from '../../domain/refusal.js';
import { type NotDeadLettered, replay } from '../../domain/webhook/delivery.js';
import { emptyChange } from '../../ports/change.js';
import type { DeliveryFilter, DeliveryRecord } from '../../ports/rows.js';
import type { Engine } from '../engine.js';
import type { Idempotent } from '../idempotency/idempotent.js';
import { executeKeyed, type Keyed } from '../idempotency/keyed.js';
import { retrieveDelivery, listKeptDeliveries } from './read-deliveries.js';
import { type NoWebhookUrl, webhookUrl } from './webhook-endpoint.js';

/** Filters for dead-lettered deliveries, and a maximum number. */
export interface ReplayRequest extends Pick<
  DeliveryFilter,
  'eventType' | 'sessionId' | 'createdAfter' | 'createdBefore'
> {
  readonly limit: number;
}

export interface ReplayedMany {
  readonly replayed: number;
  /** More deliveries match; another call replays them. */
  readonly hasMore: boolean;
}

/** Replays dead-lettered deliveries, oldest first, in one commit per call. */
export function replayDeliveries(
  engine: Engine,
  scope: Scope,
  { limit, ...which }: ReplayRequest,
  idempotent: Idempotent<ReplayedMany> | null,
): Keyed<ReplayedMany, NoWebhookUrl> {
  const filter: DeliveryFilter = { ...which, status: 'dead_lettered', eventId: null, target: 'webhook' };
  return executeKeyed(
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
  );
}

/** Every id is greater than the empty one. */
const OLDEST = { kind: 'before', id: '' } as const;

type ReplayRefusal = Refusal<'delivery_not_found'> | NotDeadLettered | NoWebhookUrl;

/** Replays a dead-lettered delivery, with the event's exact bytes and all attempts available again (spec: Delivery rules 2). */
export function replayDelivery(
  engine: Engine,
  scope: Scope,
  id: string,
  idempotent: Idempotent<DeliveryRecord> | null,
): Keyed<DeliveryRecord, ReplayRefusal> {
  return executeKeyed(
    engine,
    {
      load: async () => {
        const found = await retrieveDelivery(engine, scope, id);
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
  );
}
