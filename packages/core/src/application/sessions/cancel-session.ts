import { err, ok, type Result } from 'neverthrow';
import { type AuditContext, isAdministrator } from '../../domain/audit.js';
import type { Scope } from '../../domain/mode.js';
import type { Refusal } from '../../domain/refusal.js';
import { cancel, type Session } from '../../domain/session/session.js';
import { execute, freshValue } from '../commit/execute.js';
import type { Engine } from '../engine.js';
import { closingChange, loadClosingContext } from './close-session.js';
import { loadSession, sessionNotFound } from './read-sessions.js';

/** Why a session was not cancelled. */
export type CancelSessionRefusal = Refusal<'session_not_found' | 'session_not_open' | 'session_processing'>;

/** Cancels an open session and its intent. Refused while its money may be moving. Recorded in the audit trail if a person does it. */
export async function cancelSession(
  engine: Engine,
  scope: Scope,
  id: string,
  by: AuditContext | null = null,
): Promise<Result<Session, CancelSessionRefusal>> {
  const done = await execute(engine, {
    load: async () => {
      const session = await loadSession(engine, scope, id);
      if (session === null) return sessionNotFound();
      const cancelled = cancel(session);
      if (cancelled.isErr()) return err(cancelled.error);
      return ok({ session, cancelled: cancelled.value, context: await loadClosingContext(engine, session) });
    },
    decide: ({ session, cancelled, context }) => {
      const now = engine.clock.now(scope);
      const change = closingChange(engine, session, context, cancelled, now);
      if (by === null || !isAdministrator(by.actor)) return ok({ change, value: cancelled.session });
      const target = { type: 'session', id };
      const row = { before: session, after: cancelled.session };
      return ok({
        change,
        value: cancelled.session,
        audited: [{ ...by, ...scope, action: 'session.cancel', target, ...row }],
      });
    },
  });
  return freshValue(done);
}
