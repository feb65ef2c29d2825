import { err, ok } from 'neverthrow';
import type { AuditContext, AuditedChange } from '../../domain/audit.js';
import { type Instant, SECOND } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import type { Refusal } from '../../domain/refusal.js';
import { type Delivery, type NotDeadLettered, replay } from '../../domain/webhook/delivery.js';
import { emptyChange } from '../../ports/change.js';
import type { DeliveryFilter, DeliveryRecord } from '../../ports/rows.js';
import { apply, unchanged } from '../commit/apply.js';
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
  by: AuditContext,
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
        const now = engine.clock.now(scope);
        const replays = records.slice(0, limit).flatMap(({ delivery }) => replay(delivery, now).unwrapOr([]));
        const value = { replayed: replays.length, hasMore: records.length > limit };
        const audited = replayedMany(by, replays);
        return ok({ change: { ...emptyChange(scope, now), replays }, value, audited });
      },
    },
    idempotent,
  );
}

/** Every id is greater than the empty one. */
const OLDEST = { kind: 'before', id: '' } as const;

/** Which dead-lettered webhooks of a partner and mode an operator replays. Null does not filter. */
export interface ReplaySelection extends Pick<DeliveryFilter, 'createdAfter' | 'createdBefore'> {
  readonly eventTypes: readonly string[] | null;
  /** Only those dead-lettered before this instant. What dies again during a replay is therefore not selected a second time. */
  readonly deadBefore: Instant;
}

/** The number of deliveries, by event type. */
export type ReplayCounts = Readonly<Record<string, number>>;

/** Deliveries read at once, however many of them are selected. */
const SELECTION_PAGE = 500;

/** Counts what `replaySelection` would replay now. */
export async function countSelection(engine: Engine, scope: Scope, selection: ReplaySelection): Promise<ReplayCounts> {
  let counts: ReplayCounts = {};
  for (let cursor: string | null = OLDEST.id; cursor !== null;) {
    const page: SelectedPage = await selectedPage(engine, scope, selection, cursor, SELECTION_PAGE);
    counts = withCounts(counts, page.selected);
    cursor = page.next;
  }
  return counts;
}

interface ReplayPace {
  /** Deliveries per commit, with a commit per second. */
  readonly perSecond: number;
  /** Called after every commit, with the counts so far. */
  readonly onProgress: (counts: ReplayCounts) => void;
}

/**
 * Replays the selection, oldest first. Replayed deliveries are dead-lettered no longer, so a call that was interrupted may be repeated: it
 * finds what is left. Each delivery is replayed by one commit, also when several replays run at once. Null if no URL is set.
 */
export async function replaySelection(
  engine: Engine,
  scope: Scope,
  selection: ReplaySelection,
  { perSecond, onProgress }: ReplayPace,
  by: AuditContext,
): Promise<ReplayCounts | null> {
  let counts: ReplayCounts = {};
  for (let cursor: string | null = OLDEST.id; cursor !== null;) {
    const from: string = cursor;
    const { value } = await apply(engine, {
      load: async () =>
        (await webhookUrl(engine, scope)).isErr()
          ? null
          : selectedPage(engine, scope, selection, from, Math.min(SELECTION_PAGE, perSecond)),
      decide: (page) => {
        if (page === null || page.selected.length === 0) return unchanged(page);
        const now = engine.clock.now(scope);
        const replays = page.selected.flatMap((delivery) => replay(delivery, now).unwrapOr([]));
        const audited = replayedMany(by, replays);
        return { change: { ...emptyChange(scope, now), replays }, value: page, audited };
      },
    });
    if (value === null) return null;
    cursor = value.next;
    if (value.selected.length === 0) continue;
    counts = withCounts(counts, value.selected);
    onProgress(counts);
    if (cursor !== null) await engine.deadlines.rest(SECOND);
  }
  return counts;
}

interface SelectedPage {
  readonly selected: readonly Delivery[];
  /** The cursor of the next page; null after the last one. */
  readonly next: string | null;
}

async function selectedPage(
  engine: Engine,
  scope: Scope,
  { eventTypes, deadBefore, createdAfter, createdBefore }: ReplaySelection,
  after: string,
  limit: number,
): Promise<SelectedPage> {
  const filter: DeliveryFilter = {
    target: 'webhook',
    status: 'dead_lettered',
    eventType: eventTypes?.length === 1 ? (eventTypes[0] ?? null) : null,
    eventId: null,
    sessionId: null,
    createdAfter,
    createdBefore,
  };
  const records = await listKeptDeliveries(engine, scope, filter, { start: { kind: 'before', id: after }, limit });
  const page = records.slice(0, limit).map(({ delivery }) => delivery);
  const isSelected = ({ eventType, deadLetteredAt }: Delivery): boolean =>
    (eventTypes?.includes(eventType) ?? true) && deadLetteredAt !== null && deadLetteredAt < deadBefore;
  return { selected: page.filter(isSelected), next: records.length > limit ? (page.at(-1)?.id ?? null) : null };
}

function withCounts(counts: ReplayCounts, selected: readonly Delivery[]): ReplayCounts {
  const next: Record<string, number> = { ...counts };
  for (const { eventType } of selected) next[eventType] = (next[eventType] ?? 0) + 1;
  return next;
}

function replayed(by: AuditContext, { id, partnerId, mode, replayCount }: Delivery): AuditedChange {
  const target = { type: 'delivery', id };
  return { ...by, action: 'delivery.replay', target, partnerId, mode, before: null, after: { replayCount } };
}

/** One entry for all of a commit, which a replay in bulk would otherwise have hundreds of. */
function replayedMany(by: AuditContext, replays: readonly Delivery[]): readonly AuditedChange[] {
  const [first, ...others] = replays;
  if (first === undefined) return [];
  const { target, ...one } = replayed(by, first);
  if (others.length === 0) return [{ ...one, target }];
  const after = { ids: replays.map(({ id }) => id) };
  return [{ ...one, target: { ...target, id: `${target.id} and ${others.length} more` }, after }];
}

type ReplayRefusal = Refusal<'delivery_not_found'> | NotDeadLettered | NoWebhookUrl;

/** Replays a dead-lettered delivery, with the event's exact bytes and all attempts available again (spec: Delivery rules 2). */
export function replayDelivery(
  engine: Engine,
  scope: Scope,
  id: string,
  by: AuditContext,
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
        const now = engine.clock.now(scope);
        return replay(delivery, now).map((again) => ({
          change: { ...emptyChange(scope, now), replays: [again] },
          value: { delivery: again, attempts },
          audited: [replayed(by, again)],
        }));
      },
    },
    idempotent,
  );
}
