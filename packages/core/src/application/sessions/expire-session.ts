import type { Instant } from '../../domain/instant.js';
import { expireIfDue, type Session, type Transition } from '../../domain/session/session.js';
import type { Change } from '../../ports/change.js';
import type { Engine } from '../engine.js';
import { updated } from '../commit/row-writes.js';
import { closingChange, loadSurroundings, type Surroundings } from './close-session.js';

/** The end of a session that is overdue at `now`, with what goes with it. */
export interface Expiry {
  readonly session: Session;
  readonly expired: Transition;
  readonly surroundings: Surroundings;
  readonly now: Instant;
}

/** Null when it is not due: then nothing more is read. */
export async function loadExpiry(engine: Engine, session: Session, now: Instant): Promise<Expiry | null> {
  const expired = expireIfDue(session, now);
  return expired === null ? null : { session, expired, surroundings: await loadSurroundings(engine, session), now };
}

/** The change, and the session as it is once that is committed. */
export function expire(
  engine: Engine,
  { session, expired, surroundings, now }: Expiry,
): { readonly change: Change; readonly value: Session } {
  return {
    change: closingChange(engine, session, surroundings, expired, now),
    value: updated(session, expired.session).row,
  };
}
