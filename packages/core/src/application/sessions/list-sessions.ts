import { ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import type { Scope } from '../../domain/mode.js';
import { cutPage, type Page, type PageRequest } from '../../domain/paging/page.js';
import type { Refusal } from '../../domain/refusal.js';
import { expireIfDue, type Session } from '../../domain/session/session.js';
import { emptyChange, type Change } from '../../ports/change.js';
import type { SessionFilter } from '../../ports/store.js';
import { commitChange } from '../commit-change.js';
import type { Engine } from '../engine.js';
import { TryAgain } from '../try-again.js';
import { joinEvents } from '../writes.js';
import { closingChange } from './close-session.js';
import { sessionNotFound } from './retrieve-session.js';

/**
 * A page of sessions, newest first. The overdue ones on it are expired first, all in one commit, so
 * what the page says is what is stored.
 */
export async function listSessions(
  engine: Engine,
  scope: Scope,
  filter: SessionFilter,
  request: PageRequest,
): Promise<Result<Page<Session>, Refusal<'session_not_found'>>> {
  if (request.start.kind !== 'newest' && (await engine.store.findSession(scope, request.start.id)) === null) {
    return sessionNotFound();
  }
  for (let attempt = 0; attempt < engine.policy.decisionsMax; attempt += 1) {
    const now = engine.clock.now(scope.mode);
    const page = cutPage(await engine.store.listSessions(scope, filter, request, now), request);
    const changes = await expiries(engine, page.items, now);
    if (changes.length === 0) return ok(page);
    const outcome = await commitChange(engine, merge(scope, changes, now));
    if (outcome.kind !== 'committed') continue;
    engine.scheduler.wake([{ delayMs: 0 }]);
    const written = new Map(changes.flatMap((change) => change.sessions.map(({ row }) => [row.id, row] as const)));
    return ok({ ...page, items: page.items.map((session) => written.get(session.id) ?? session) });
  }
  throw new TryAgain();
}

/** Judged by the very instant the page was read at: a later one would expire what a list of open sessions has let through. */
async function expiries(engine: Engine, sessions: readonly Session[], now: Instant): Promise<readonly Change[]> {
  const changes: Change[] = [];
  for (const session of sessions) {
    const expired = expireIfDue(session, now);
    if (expired !== null) changes.push(await closingChange(engine, session, expired, now));
  }
  return changes;
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
