import type { Scope } from '../../domain/mode.js';
import type { Purchase } from '../../domain/purchase/purchase.js';
import type { Engine } from '../engine.js';
import { readSession } from '../sessions/read-session.js';

/**
 * An intent with its session and transaction. The session is expired first if it is due, so no
 * decision is taken on an overdue one. Throws when a row is missing: they are written together.
 */
export async function loadPurchase(engine: Engine, scope: Scope, intentId: string): Promise<Purchase> {
  const found = await engine.store.findIntent(scope, intentId);
  if (found === null) throw new Error('A stored intent is missing.');
  const session = await readSession(engine, scope, found.sessionId);
  // Expiring the session may have ended the intent: read it again, after the session.
  const intent = await engine.store.findIntent(scope, intentId);
  const transaction = await engine.store.findTransaction(scope, found.txRefid);
  if (session === null || intent === null || transaction === null)
    throw new Error('A row of a stored purchase is missing.');
  return { session, intent, transaction };
}
