import { err, ok, type Result } from 'neverthrow';
import type { Instant } from '../../domain/instant.js';
import { type Intent, lapseFailure, type NextAction } from '../../domain/intent/intent.js';
import { intentResource } from '../../domain/intent/intent-resource.js';
import { scopeOf, type Scope } from '../../domain/mode.js';
import { failIntent, hasLapsed } from '../../domain/purchase/end-intent.js';
import type { Outcome } from '../../domain/purchase/outcome.js';
import type { Purchase, PurchaseStep, RailPurchase } from '../../domain/purchase/purchase.js';
import { followIntent } from '../../domain/rails/follow-intent.js';
import { railKindOf, type RailPayment } from '../../domain/rails/rail-payment.js';
import { type Refusal, refuse } from '../../domain/refusal.js';
import type { Transaction } from '../../domain/transaction/transaction.js';
import { type Change, emptyChange } from '../../ports/change.js';
import { apply, unchanged } from '../commit/apply.js';
import { type Audience, loadAudience, purchaseEvents, purchaseWrites } from '../commit/row-writes.js';
import { findRow, RAIL_KINDS } from '../documents/document-kind.js';
import { type EmbedToken, sessionOfToken } from '../embed/embed-token.js';
import type { Engine } from '../engine.js';
import { cancelAtProvider } from '../sessions/close-session.js';
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

/** Fails an intent whose required action has expired, on the first read after the deadline or by its task, whichever is first. */
export async function lapseIfDue(engine: Engine, intent: Intent): Promise<Purchase> {
  const scope = scopeOf(intent);
  const { outcome, value } = await apply(engine, {
    load: async () => {
      const purchase = await loadPurchase(engine, scope, intent.id);
      const now = engine.clock.now(scope);
      return { purchase, now, audience: hasLapsed(purchase.intent, now) ? await loadAudience(engine, scope) : null };
    },
    decide: ({ purchase, now, audience }) =>
      audience === null ? unchanged(purchase) : { change: lapse(engine, purchase, audience, now), value: purchase },
  });
  return outcome === 'unchanged' ? value : loadPurchase(engine, scope, intent.id);
}

function lapse(engine: Engine, before: Purchase, audience: Audience, now: Instant): Change {
  const { intent } = before;
  const scope = scopeOf(intent);
  const { purchase, announcements } = failed(before, now);
  return {
    ...emptyChange(scope, now),
    ...purchaseWrites(before, purchase),
    ...purchaseEvents(engine, audience, purchase, announcements, now),
    tasks: [cancelAtProvider(engine, intent, now)],
  };
}

function failed(before: Purchase, now: Instant): PurchaseStep {
  const failure = lapseFailure(before.intent.nextAction);
  return before.session === null ? followIntent(failIntent(before, failure, now)) : failIntent(before, failure, now);
}

export type RetrieveIntentRefusal = Refusal<
  'intent_not_found' | 'session_not_found' | 'session_required' | 'invalid_embed_token'
>;

/** Retrieves an intent of the token's session; an expired action is failed first. */
export async function retrieveIntent(
  engine: Engine,
  token: EmbedToken,
  id: string,
): Promise<Result<Purchase, RetrieveIntentRefusal>> {
  if (token.sessionId === null) {
    return refuse('session_required', 'This checkout was opened without a session; create one on your server first.');
  }
  const session = await sessionOfToken(engine, token);
  if (session.isErr()) return err(session.error);
  const intent = await engine.store.find('intent', token.scope, id);
  if (intent?.sessionId !== token.sessionId) return refuse('intent_not_found', 'This session has no such intent.');
  return ok(await lapseIfDue(engine, intent));
}

/** Encrypts a component's secret before anything is decided or stored. */
export function withSealedSecret({ crypto }: Engine, scope: Scope, outcome: Outcome): Outcome {
  if (outcome.kind !== 'requires_action') return outcome;
  return { ...outcome, nextAction: mapSecret(outcome.nextAction, (plain) => crypto.sealSecret(plain, scope)) };
}

/** Renders an intent for its buyer, with the component's secret decrypted. */
export function renderIntent({ crypto }: Engine) {
  return (intent: Intent, transaction: Transaction | null = null) => {
    const { nextAction } = intent;
    if (nextAction === null) return intentResource(intent, transaction);
    const open = (sealed: string): string => crypto.openSecret(sealed, scopeOf(intent));
    return intentResource({ ...intent, nextAction: mapSecret(nextAction, open) }, transaction);
  };
}

function mapSecret(action: NextAction, map: (secret: string) => string): NextAction {
  return action.type === 'provider_component' ? { ...action, clientSecret: map(action.clientSecret) } : action;
}
