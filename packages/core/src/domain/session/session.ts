import { ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import { type JsonMembers, type JsonText, knownAs, withMembers } from '../json.js';
import { refuse, type Refusal } from '../refusal.js';
import type { Session } from './session-state.js';
import type { AddedToSession, EventData, EventType, SessionEventType } from '../webhook/event-types.js';
import { sessionResource } from './session-resource.js';

export * from './session-state.js';

/** Something that happened to a session, numbered, its data already frozen as text. */
export interface Announcement<Type extends EventType = EventType> {
  readonly type: Type;
  readonly sequence: number | null;
  readonly data: JsonText<EventData[Type]>;
}

/** The next session and what it caused; the caller commits both or neither. */
export interface Transition {
  readonly session: Session;
  readonly announcements: readonly Announcement[];
}

/** Whether it has ended: completed, cancelled or expired, once and for all. */
export function isTerminal(session: Session): boolean {
  return session.status !== 'open';
}

/** Money may be moving: until that is known, the session neither expires nor cancels. */
export function isHeld(session: Session): boolean {
  return session.heldSince !== null;
}

/** At `now == expiresAt` a session is still open (`docs/spec-notes.md` C7). */
export function isOverdue(session: Session, now: Instant): boolean {
  return session.status === 'open' && now > session.expiresAt && !isHeld(session);
}

/** What a session counts as at `now`, whatever its row still says: what lists filter by. */
export function sessionStatusAt(session: Session, now: Instant): Session['status'] {
  return isOverdue(session, now) ? 'expired' : session.status;
}

/** Expiry is lazy: the first read after `expiresAt` takes it, never a timer. */
export function expireIfDue(session: Session, now: Instant): Transition | null {
  if (!isOverdue(session, now)) return null;
  return close(session, 'expired');
}

/** Ends an open session; refused once it has ended, and while its money may be moving. */
export function cancel(session: Session): Result<Transition, Refusal<'session_not_open' | 'session_processing'>> {
  if (session.status !== 'open') {
    return refuse('session_not_open', `The session is already ${session.status}; create a new session to try again.`);
  }
  if (isHeld(session)) {
    return refuse('session_processing', 'A payment of this session is being processed; cancel once it has ended.');
  }
  return ok(close(session, 'cancelled'));
}

/** Completion carries the settled transaction; only an open session can complete. */
export function complete(session: Session, txRefid: string): Transition {
  if (session.status !== 'open') throw new Error(`Cannot complete a session that is ${session.status}.`);
  const next: Session = { ...session, status: 'completed', txRefid, intentId: null, heldSince: null };
  return announce(next, 'gate_session.completed', { tx_refid: txRefid });
}

/** Numbers one more event of the session and freezes its data: the session as it now is, plus `extra`. */
export function announce<Type extends SessionEventType>(
  session: Session,
  type: Type,
  extra: AddedToSession<Type> & JsonMembers,
): Transition {
  const next: Session = { ...session, sequence: session.sequence + 1 };
  // A session with what the type adds to one is what `EventData` says of it, which the compiler cannot work out for every type at once.
  const data = knownAs<EventData[Type]>(withMembers(sessionResource(next), extra));
  return { session: next, announcements: [{ type, sequence: next.sequence, data }] };
}

/** Numbers one more event of the session whose data is not the session itself. */
export function announceData<Type extends EventType>(
  session: Session,
  type: Type,
  data: JsonText<EventData[Type]>,
): Transition {
  const next: Session = { ...session, sequence: session.sequence + 1 };
  return { session: next, announcements: [{ type, sequence: next.sequence, data }] };
}

/** One transition after another, as one. */
export function chain(first: Transition, step: (session: Session) => Transition): Transition {
  const second = step(first.session);
  return { session: second.session, announcements: [...first.announcements, ...second.announcements] };
}

/** Attempts at a closed session run out in silence: its partner knows how it ended. */
export function whileOpen(session: Session, step: (session: Session) => Transition): Transition {
  return isTerminal(session) ? { session, announcements: [] } : step(session);
}

function close(session: Session, status: 'expired' | 'cancelled'): Transition {
  return announce({ ...session, status, intentId: null, heldSince: null }, `gate_session.${status}`, {});
}
