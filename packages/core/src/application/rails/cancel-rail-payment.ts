import { ok, type Result } from 'neverthrow';
import { type Scope, scopeOf } from '../../domain/mode.js';
import { endIntent } from '../../domain/purchase/end-intent.js';
import type { RailPurchase } from '../../domain/purchase/purchase.js';
import { followIntent } from '../../domain/rails/follow-intent.js';
import type { RailKind, RailPayment } from '../../domain/rails/rail-payment.js';
import { refuse, type Refusal } from '../../domain/refusal.js';
import { emptyChange } from '../../ports/change.js';
import { type Audience, loadAudience, purchaseEvents, purchaseWrites } from '../commit/row-writes.js';
import type { Decision } from '../commit/apply.js';
import { execute, freshValue } from '../commit/execute.js';
import { findRow, RAIL_KINDS } from '../documents/document-kind.js';
import type { Engine } from '../engine.js';
import { cancelAtProvider } from '../sessions/close-session.js';
import { paymentNotFound, readPurchase } from './read-rail-payments.js';

type CancelRailRefusal = Refusal<'intent_not_found' | 'intent_not_confirmable'>;

/** Cancels a payment that still waits for its money; a task of the same commit cancels it at the provider. */
export async function cancelRailPayment(
  engine: Engine,
  scope: Scope,
  kind: RailKind,
  id: string,
): Promise<Result<RailPayment, CancelRailRefusal>> {
  const done = await execute(engine, {
    load: () => cancellable(engine, scope, kind, id),
    decide: ({ purchase, audience }) => ok(end(engine, purchase, audience)),
  });
  return freshValue(done);
}

interface Cancellable {
  readonly purchase: RailPurchase;
  readonly audience: Audience;
}

async function cancellable(
  engine: Engine,
  scope: Scope,
  kind: RailKind,
  id: string,
): Promise<Result<Cancellable, CancelRailRefusal>> {
  const payment = await findRow(engine.store, RAIL_KINDS[kind], scope, id);
  if (payment === null) return paymentNotFound(kind);
  const purchase = await readPurchase(engine, payment);
  const { status, stepTaskId } = purchase.intent;
  if (status !== 'requires_action' || stepTaskId !== null)
    return refuse(
      'intent_not_confirmable',
      `The payment is ${status}; only one that still waits for its money can be cancelled.`,
    );
  return ok({ purchase, audience: await loadAudience(engine, scope) });
}

function end(engine: Engine, before: RailPurchase, audience: Audience): Decision<RailPayment> {
  const scope = scopeOf(before.intent);
  const now = engine.clock.now(scope);
  const ended = followIntent({ purchase: endIntent(before, now), announcements: [], alarms: [] });
  const change = {
    ...emptyChange(scope, now),
    ...purchaseWrites(before, ended.purchase),
    ...purchaseEvents(engine, audience, ended.purchase, ended.announcements, now),
    tasks: [cancelAtProvider(engine, before.intent, now)],
  };
  return { change, value: ended.purchase.payment };
}
