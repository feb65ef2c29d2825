import { scopeOf, type Scope } from '../../domain/mode.js';
import type { Purchase, RailPurchase } from '../../domain/purchase/purchase.js';
import { railKindOf, type RailPayment } from '../../domain/rails/rail-payment.js';
import type { Intent } from '../../domain/intent/intent.js';
import { findRow } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { RAIL_KINDS } from '../rails/rail-kinds.js';
import { loadSession } from '../sessions/read-sessions.js';

/**
 * Loads an intent with its transaction and owner. An overdue session is expired first, so that no decision is based on it. Throws if a row
 * is missing: they are written together.
 */
export async function loadPurchase(engine: Engine, scope: Scope, intentId: string): Promise<Purchase> {
  const found = await engine.store.find('intent', scope, intentId);
  if (found === null) throw new Error('A stored intent is missing.');
  if (found.sessionId === null) return loadRailPurchase(engine, found);
  const session = await loadSession(engine, scope, found.sessionId);
  // Expiring the session may have ended the intent, so it is read again after the session.
  const intent = await engine.store.find('intent', scope, intentId);
  const transaction = await engine.store.find('transaction', scope, found.txRefid);
  if (session === null || intent === null || transaction === null)
    throw new Error('A row of a stored purchase is missing.');
  return { session, intent, transaction };
}

/** Reads the payment's row last: if the intent was read before a change, the payment's version makes the commit fail. */
async function loadRailPurchase({ store }: Engine, intent: Intent): Promise<RailPurchase> {
  const scope = scopeOf(intent);
  const transaction = await store.find('transaction', scope, intent.txRefid);
  const payment = await findPayment({ store }, intent);
  if (transaction === null || payment === null) throw new Error('A row of a stored payment is missing.');
  return { session: null, payment, intent, transaction };
}

/** The payment carried out by an intent without a session. */
export async function findPayment({ store }: Pick<Engine, 'store'>, intent: Intent): Promise<RailPayment | null> {
  const kind = railKindOf(intent.flow);
  return kind === null ? null : findRow(store, RAIL_KINDS[kind], scopeOf(intent), intent.id);
}
