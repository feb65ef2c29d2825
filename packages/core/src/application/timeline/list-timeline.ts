import { err, ok, type Result } from 'neverthrow';
import type { Intent } from '../../domain/intent/intent.js';
import type { Scope } from '../../domain/mode.js';
import { cutPage, PAGE_LIMIT_MAX, type PageRequest, type PageStart } from '../../domain/paging/page.js';
import type { Refusal } from '../../domain/refusal.js';
import { type TimelineEntry, timelineOf } from '../../domain/timeline.js';
import type { DeliveryFilter, DeliveryRecord } from '../../ports/rows.js';
import type { Engine } from '../engine.js';
import { retrieveSession } from '../sessions/read-sessions.js';
import { listKeptDeliveries } from '../webhooks/read-deliveries.js';
import { refusalsOf } from './keep-refusal.js';

/** The history of a session, oldest first. */
export async function listTimeline(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<readonly TimelineEntry[], Refusal<'session_not_found'>>> {
  // An overdue session is expired first, as by every read.
  const session = await retrieveSession(engine, scope, id);
  if (session.isErr()) return err(session.error);
  const [events, intents, deliveries, refusals] = await Promise.all([
    engine.store.list('session_event', scope, id),
    intentsOf(engine, scope, id),
    deliveriesOf(engine, scope, id),
    refusalsOf(engine, scope, id),
  ]);
  return ok(timelineOf({ events, intents, deliveries, refusals }));
}

/** Finds a session's intents by their transactions. */
async function intentsOf({ store, policy }: Engine, scope: Scope, sessionId: string): Promise<readonly Intent[]> {
  const filter = { status: null, flow: null, sessionId, userReference: null, createdAfter: null, createdBefore: null };
  const page = { start: { kind: 'newest' }, limit: policy.attemptsPerSessionMax } as const;
  const transactions = await store.list('transaction', scope, filter, page);
  const ids = transactions.flatMap(({ intentId }) => intentId ?? []);
  return (await Promise.all(ids.map((id) => store.find('intent', scope, id)))).filter((intent) => intent !== null);
}

/** Deliveries to the partner's endpoint; consumers concern only the host. */
async function deliveriesOf(engine: Engine, scope: Scope, sessionId: string): Promise<readonly DeliveryRecord[]> {
  const filter: DeliveryFilter = {
    target: 'webhook',
    status: null,
    eventType: null,
    eventId: null,
    sessionId,
    createdAfter: null,
    createdBefore: null,
  };
  const all: DeliveryRecord[] = [];
  let start: PageStart = { kind: 'newest' };
  // A session has few events and each has few recipients.
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const request: PageRequest = { start, limit: PAGE_LIMIT_MAX };
    const { items, hasMore } = cutPage(await listKeptDeliveries(engine, scope, filter, request), request);
    all.push(...items);
    const last = items.at(-1);
    if (!hasMore || last === undefined) break;
    start = { kind: 'after', id: last.delivery.id };
  }
  return all;
}

const PAGES_MAX = 10;
