import type { Scope } from '../../domain/mode.js';
import { expireIfDue, type Session } from '../../domain/session/session.js';
import { commitChange } from '../commit-change.js';
import type { Engine } from '../engine.js';
import { TryAgain } from '../try-again.js';
import { closingChange } from './close-session.js';

/**
 * The session as it is now. The first read after `expires_at` expires it, in a commit of its own;
 * however many readers race, one of them writes the event (`docs/spec-notes.md` C7).
 */
export async function readSession(engine: Engine, scope: Scope, id: string): Promise<Session | null> {
  for (let attempt = 0; attempt < engine.policy.decisionsMax; attempt += 1) {
    const session = await engine.store.findSession(scope, id);
    if (session === null) return null;
    const now = engine.clock.now(scope.mode);
    const expired = expireIfDue(session, now);
    if (expired === null) return session;
    const change = await closingChange(engine, session, expired, now);
    const outcome = await commitChange(engine, change);
    if (outcome.kind === 'committed') {
      engine.scheduler.wake([{ delayMs: 0 }]);
      return { ...expired.session, version: session.version + 1 };
    }
  }
  throw new TryAgain();
}
