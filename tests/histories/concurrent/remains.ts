import type { MoneyEffect, SandboxRefund } from '@gateramp/adapters-provider-sandbox';
import type { GateEvent, Intent, Session, Transaction } from '@gateramp/core/domain';
import type { Store } from '@gateramp/core/ports';
import { EVERYBODY, scopeOf } from '../differential/cast.js';
import type { Aftermath } from './crowd.js';

/** One session with its events and payments, read from the store and the provider's ledger. */
export interface Remains {
  readonly session: Session;
  readonly events: readonly GateEvent[];
  readonly payments: readonly Payment[];
}

export interface Payment {
  readonly transaction: Transaction;
  readonly intent: Intent;
  /** The movements of money in the provider's ledger, without `refunds`. */
  readonly effects: readonly MoneyEffect[];
  /** The refunds that were requested from the provider, including failed ones. */
  readonly refunds: readonly SandboxRefund[];
}

const NO_FILTER = { status: null, flow: null, createdAfter: null, createdBefore: null, userReference: null } as const;

/** Reads the sessions of all partners with everything that belongs to them. */
export async function readRemains({
  store,
  ledger,
  t,
}: Pick<Aftermath, 'store' | 'ledger' | 't'>): Promise<readonly Remains[]> {
  const remains: Remains[] = [];
  for (const who of EVERYBODY) {
    const scope = scopeOf(who);
    const page = { start: { kind: 'newest' }, limit: 1_000 } as const;
    const sessions = await store.list('session', scope, { ...NO_FILTER, currency: null }, page, t.clock.now(who.mode));
    const transactions = await store.list('transaction', scope, { ...NO_FILTER, sessionId: null }, page);
    for (const session of sessions) {
      const own = transactions.filter(({ sessionId }) => sessionId === session.id);
      const payments = await Promise.all(
        own.map((transaction) => readPayment(store, ledger, transaction, t.clock.now(who.mode))),
      );
      remains.push({ session, events: await store.list('session_event', scope, session.id), payments });
    }
  }
  return remains;
}

async function readPayment(
  store: Store,
  ledger: Aftermath['ledger'],
  transaction: Transaction,
  now: number,
): Promise<Payment> {
  const intent = await store.find('intent', transaction, transaction.intentId);
  if (intent === null) throw new Error(`Transaction ${transaction.refid} has no intent.`);
  const operation = await ledger.read(intent.operationId);
  const effects = (operation?.effects ?? []).filter((effect) => effect.at <= now);
  return { transaction, intent, effects, refunds: operation?.refunds ?? [] };
}
