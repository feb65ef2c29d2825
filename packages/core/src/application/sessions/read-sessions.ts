import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { cutPage, type Page, type PageRequest } from '../../domain/paging/page.js';
import { completedSessionsCounter } from '../../domain/quota/quota.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import { isOverdue, type Session } from '../../domain/session/session.js';
import { type Change, emptyChange } from '../../ports/change.js';
import type { SessionFilter } from '../../ports/rows.js';
import { apply, unchanged } from '../commit/apply.js';
import { joinEvents } from '../commit/row-writes.js';
import type { Engine } from '../engine.js';
import { expire, type Expiry, loadExpiry } from './close-session.js';

/**
 * Loads a session and expires it if it is overdue, in a commit of its own. Of concurrent readers, one writes the event
 * (`docs/spec-notes.md` C7).
 */
export async function loadSession(engine: Engine, scope: Scope, id: string): Promise<Session | null> {
  // Nearly every read ends here.
  const found = await engine.store.find('session', scope, id);
  if (found === null || !isOverdue(found, engine.clock.now(scope))) return found;
  const { value } = await apply(engine, {
    load: async () => {
      const session = await engine.store.find('session', scope, id);
      const now = engine.clock.now(scope);
      return { session, expiry: session === null ? null : await loadExpiry(engine, session, now) };
    },
    decide: ({ session, expiry }) => (expiry === null ? unchanged(session) : expire(engine, expiry)),
  });
  return value;
}

/** Retrieves a session of this partner and mode; all others are treated as unknown. */
export async function retrieveSession(
  engine: Engine,
  scope: Scope,
  id: string,
): Promise<Result<Session, Refusal<'session_not_found'>>> {
  const session = await loadSession(engine, scope, id);
  return session === null ? sessionNotFound() : ok(session);
}

/** The refusal of an unknown session. */
export function sessionNotFound(): ReturnType<typeof refuse<'session_not_found'>> {
  return refuse('session_not_found', 'There is no such session for this key.');
}

/** A page of sessions, newest first. Overdue sessions on it are expired first, in one commit, so that the page shows the stored state. */
export async function listSessions(
  engine: Engine,
  scope: Scope,
  filter: SessionFilter,
  request: PageRequest,
): Promise<Result<Page<Session>, Refusal<'session_not_found'>>> {
  if (request.start.kind !== 'newest' && (await engine.store.find('session', scope, request.start.id)) === null) {
    return sessionNotFound();
  }
  const { value } = await apply(engine, {
    load: async () => {
      // The list filter and the expiry use the same instant; a later one would expire sessions that a list of open sessions has let
      // through.
      const now = engine.clock.now(scope);
      const page = cutPage(await engine.store.list('session', scope, filter, request, now), request);
      return { page, now, expiries: await loadExpiries(engine, page.items, now) };
    },
    decide: ({ page, now, expiries }) => {
      if (expiries.length === 0) return unchanged(page);
      const expired = expiries.map((expiry) => expire(engine, expiry));
      const written = new Map(expired.map(({ value }) => [value.id, value]));
      return {
        change: merge(
          scope,
          expired.map(({ change }) => change),
          now,
        ),
        value: { ...page, items: page.items.map((session) => written.get(session.id) ?? session) },
      };
    },
  });
  return ok(value);
}

async function loadExpiries(engine: Engine, sessions: readonly Session[], now: Instant): Promise<readonly Expiry[]> {
  const expiries: Expiry[] = [];
  for (const session of sessions) {
    const expiry = await loadExpiry(engine, session, now);
    if (expiry !== null) expiries.push(expiry);
  }
  return expiries;
}

function merge(scope: Scope, changes: readonly Change[], now: Instant): Change {
  return {
    ...emptyChange(scope, now),
    sessions: changes.flatMap((change) => change.sessions),
    intents: changes.flatMap((change) => change.intents),
    transactions: changes.flatMap((change) => change.transactions),
    ...joinEvents(...changes),
    tasks: changes.flatMap((change) => change.tasks),
    counters: changes.flatMap((change) => change.counters),
  };
}

/** Number of sessions that the partner completed in the quota period of `at`. */
export async function countCompleted({ store }: Engine, scope: Scope, at: Instant): Promise<number> {
  const [completed] = await store.readCounters(scope, [completedSessionsCounter(scope, at)]);
  return Number(completed);
}
