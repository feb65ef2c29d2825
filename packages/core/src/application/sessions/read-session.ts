import type { Scope } from '../../domain/mode.js';
import { isOverdue, type Session } from '../../domain/session/session.js';
import { apply, unchanged } from '../commit/apply.js';
import type { Engine } from '../engine.js';
import { expire, loadExpiry } from './expire-session.js';

/**
 * The session as it is now. The first read after `expires_at` expires it, in a commit of its own;
 * however many readers race, one of them writes the event (`docs/spec-notes.md` C7).
 */
export async function readSession(engine: Engine, scope: Scope, id: string): Promise<Session | null> {
  // For nearly every read this look is all.
  const found = await engine.store.find('session', scope, id);
  if (found === null || !isOverdue(found, engine.clock.now(scope.mode))) return found;
  const { value } = await apply(engine, {
    load: async () => {
      const session = await engine.store.find('session', scope, id);
      const now = engine.clock.now(scope.mode);
      return { session, expiry: session === null ? null : await loadExpiry(engine, session, now) };
    },
    decide: ({ session, expiry }) => (expiry === null ? unchanged(session) : expire(engine, expiry)),
  });
  return value;
}
