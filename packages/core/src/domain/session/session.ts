import { ok, type Result } from 'neverthrow';
import type { Instant } from '../instant.js';
import { type JsonMembers, type JsonText, knownAs, withMembers } from '../json.js';
import { refuse, type Refusal } from '../refusal.js';
import type { Session } from './session-state.js';
import type { AddedToSession, EventData, EventType, SessionEventType } from '../webhook/event-types.js';
import { sessionResource } from './session-resource.js';

export * from './session-state.js';

/** A numbered event of a session whose data is already frozen as text. */
export interface Announcement<Type extends EventType = EventType> {
  readonly type: Type;
  readonly sequence: number | null;
  readonly data: JsonText<EventData[Type]>;
}

/** The next session and its announcements; the caller commits both or neither. */
export interface Transition {
  readonly session: Session;
  readonly announcements: readonly Announcement[];
}

/** Whether the session has ended: completed, cancelled or expired. */
export function isTerminal(session: Session): boolean {
  return session.status !== 'open';
}

/** Whether money may be moving; meanwhile the session neither expires nor can be cancelled. */
export function isHeld(session: Session): boolean {
  return session.heldSince !== null;
}

/** Whether the session should expire. At `now == expiresAt` it is still open (`docs/spec-notes.md` C7). */
export function isOverdue(session: Session, now: Instant): boolean {
  return session.status === 'open' && now > session.expiresAt && !isHeld(session);
}

/** The effective status at `now`, even if the row is not yet updated. List filters use it. */
export function sessionStatusAt(session: Session, now: Instant): Session['status'] {
  return isOverdue(session, now) ? 'expired' : session.status;
}

/** Expires the session if it is past its deadline. Called on reads, so no timer is needed. */
export function expireIfDue(session: Session, now: Instant): Transition | null {
  if (!isOverdue(session, now)) return null;
  return close(session, 'expired');
}

/** Cancels an open session; refused if it has ended or its money may be moving. */
export function cancel(session: Session): Result<Transition, Refusal<'session_not_open' | 'session_processing'>> {
  if (session.status !== 'open') {
    return refuse('session_not_open', `The session is already ${session.status}; create a new session to try again.`);
  }
  if (isHeld(session)) {
    return refuse('session_processing', 'A payment of this session is being processed; cancel once it has ended.');
  }
  return ok(close(session, 'cancelled'));
}

/** Completes an open session with its settled transaction. */
export function complete(session: Session, txRefid: string): Transition {
  if (session.status !== 'open') throw new Error(`Cannot complete a session that is ${session.status}.`);
  const next: Session = { ...session, status: 'completed', txRefid, intentId: null, heldSince: null };
  return announce(next, 'gate_session.completed', { tx_refid: txRefid });
}

/** Numbers the session's next event and freezes its data: the session after the change, plus `extra`. */
export function announce<Type extends SessionEventType>(
  session: Session,
  type: Type,
  extra: AddedToSession<Type> & JsonMembers,
): Transition {
  const next: Session = { ...session, sequence: session.sequence + 1 };
  // `EventData` is the session plus the members that the type adds; the compiler cannot derive this for all types at once.
  const data = knownAs<EventData[Type]>(withMembers(sessionResource(next), extra));
  return { session: next, announcements: [{ type, sequence: next.sequence, data }] };
}

/** Numbers the session's next event, with data other than the session itself. */
export function announceData<Type extends EventType>(
  session: Session,
  type: Type,
  data: JsonText<EventData[Type]>,
): Transition {
  const next: Session = { ...session, sequence: session.sequence + 1 };
  return { session: next, announcements: [{ type, sequence: next.sequence, data }] };
}

/** Combines two transitions into one. */
export function chain(first: Transition, step: (session: Session) => Transition): Transition {
  const second = step(first.session);
  return { session: second.session, announcements: [...first.announcements, ...second.announcements] };
}

/** Attempts of a closed session are not announced: the partner already knows how the session ended. */
export function whileOpen(session: Session, step: (session: Session) => Transition): Transition {
  return isTerminal(session) ? { session, announcements: [] } : step(session);
}

function close(session: Session, status: 'expired' | 'cancelled'): Transition {
  return announce({ ...session, status, intentId: null, heldSince: null }, `gate_session.${status}`, {});
}
