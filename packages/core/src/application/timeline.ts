import { err, ok, type Result } from 'neverthrow';
import type { ErrorCode } from '../domain/error-code.js';
import type { Intent } from '../domain/intent/intent.js';
import type { Scope } from '../domain/mode.js';
import { cutPage, PAGE_LIMIT_MAX, type PageRequest, type PageStart } from '../domain/paging/page.js';
import type { Refusal } from '../domain/refusal.js';
import {
  isOfTerms,
  type RefusedAttempt,
  type RefusedTerms,
  type TimelineEntry,
  timelineOf,
} from '../domain/timeline.js';
import { emptyChange } from '../ports/change.js';
import type { DeliveryFilter, DeliveryRecord } from '../ports/rows.js';
import { apply, TryAgain, unchanged } from './commit/apply.js';
import { documentWrite, listRows, type DocumentKind } from './documents/document-kind.js';
import type { Engine } from './engine.js';
import { retrieveSession } from './sessions/read-sessions.js';
import { listKeptDeliveries } from './webhooks/read-deliveries.js';

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

/** Maximum number of refused attempts stored per session; later ones are refused without being stored. */
const REFUSALS_MAX = 20;

const refusalKind: DocumentKind<RefusedAttempt> = { noun: 'refusal', groupOf: ({ sessionId }) => sessionId };

interface Refused {
  readonly scope: Scope;
  /** Null if the checkout was opened without a session. */
  readonly sessionId: string | null;
  readonly code: ErrorCode;
  readonly terms: RefusedTerms;
  readonly requestId: string;
}

/**
 * Stores a refused attempt for the session's timeline. Never rejects, because the browser gets its refusal in any case. Each takes one of
 * the session's limited slots by its id, so that no browser can fill the store, even with concurrent requests.
 */
export async function keepRefusal(
  engine: Engine,
  { scope, sessionId, code, terms, requestId }: Refused,
): Promise<void> {
  if (sessionId === null || !isOfTerms(code)) return;
  try {
    await apply(engine, {
      load: () => slotsTaken(engine, scope, sessionId),
      decide: (taken) => {
        if (taken >= REFUSALS_MAX) return unchanged(null);
        const now = engine.clock.now(scope);
        const { flow, amount, currency, targetToken, targetNetwork, paymentMethod } = terms;
        const row: RefusedAttempt = {
          ...scope,
          id: `${sessionId}_${String(taken).padStart(SLOT_DIGITS, '0')}`,
          version: 0,
          sessionId,
          requestId,
          code,
          asked: { flow, amount, currency, targetToken, targetNetwork, paymentMethod },
          createdAt: now,
        };
        return {
          change: { ...emptyChange(scope, now), documents: [documentWrite(refusalKind, row, null)] },
          value: null,
        };
      },
    });
  } catch (error) {
    // Concurrent requests of the session took the slots; enough refusals are stored.
    if (error instanceof TryAgain) return;
    engine.telemetry.failure(error, { place: 'refused attempt', session_id: sessionId });
  }
}

const SLOT_DIGITS = 4;

/** The newest row's id contains its slot number, so no other row is read. */
async function slotsTaken({ store }: Engine, scope: Scope, sessionId: string): Promise<number> {
  const page = { start: { kind: 'newest' }, limit: 1 } as const;
  const [newest] = await listRows(store, refusalKind, scope, page, { group: sessionId });
  return newest === undefined ? 0 : Number(newest.id.slice(-SLOT_DIGITS)) + 1;
}

/** Newest first. */
function refusalsOf({ store }: Engine, scope: Scope, sessionId: string): Promise<readonly RefusedAttempt[]> {
  const page = { start: { kind: 'newest' }, limit: REFUSALS_MAX } as const;
  return listRows(store, refusalKind, scope, page, { group: sessionId });
}
