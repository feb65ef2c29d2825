import type { Scope } from '@gateramp/core';
import type { GateEvent, Instant, PageRequest } from '@gateramp/core/domain';
import { isOutage } from '@gateramp/core/ports';
import type { Connection } from './connection.js';
import type { SqliteDatabase } from './database.js';
import { ofScope } from './rows.js';
import { put } from './write-row.js';

/** The time of the newest event that any process has shown; -1 if none has. */
function shownUntil(db: Connection, { partnerId, mode }: Scope): Instant {
  const text = 'select until from shown_events where partner_id = ? and mode = ?';
  return db.all<{ readonly until: Instant }>(text, partnerId, mode)[0]?.until ?? -1;
}

/** The event at its place: one that was decided before an event that was shown comes after it. */
export function atItsPlace(db: Connection, event: GateEvent): GateEvent {
  const first = shownUntil(db, event) + 1;
  return event.createdAt < first ? { ...event, createdAt: first } : event;
}

/**
 * Reads a page for a reader, who may continue after its newest event. The page is read in the transaction that records this, which excludes
 * commits. While the file cannot be written, only events that were shown before are.
 */
export async function showEvents(
  { connection, write }: SqliteDatabase,
  scope: Scope,
  { start }: PageRequest,
  pageOf: (db: Connection) => readonly GateEvent[],
): Promise<readonly GateEvent[]> {
  const page = pageOf(connection());
  if (start.kind === 'after' || newestOf(page) <= shownUntil(connection(), scope)) return page;
  try {
    return await write((db) => {
      const shown = pageOf(db);
      put(db, 'shown_events', ofScope(scope), { until: Math.max(newestOf(shown), shownUntil(db, scope)) });
      return shown;
    });
  } catch (error) {
    if (!isOutage(error)) throw error;
    const until = shownUntil(connection(), scope);
    return page.filter(({ createdAt }) => createdAt <= until);
  }
}

const newestOf = (page: readonly GateEvent[]): Instant => Math.max(-1, ...page.map(({ createdAt }) => createdAt));
