import { operatorRefund } from '@gateramp/conformance';
import type { GateTransaction } from '@gateramp/core';
import type { TestGate, TestResponse } from '@gateramp/testing';
import { checkout, scopeOf, type Checkout } from '../checkout.js';

/** A checkout paid by card: 100.00 EUR. */
export interface Paid {
  readonly shop: Checkout;
  readonly refid: string;
  readonly operationId: string;
  /** Refunds as an operator, with a new key by default. */
  refund(body?: unknown, key?: string): Promise<TestResponse>;
  retrieve(): Promise<GateTransaction>;
  /** The same transaction, served by another process. */
  on(process: TestGate): Paid;
  /** The returned amounts in the provider's books. */
  moved(): Promise<readonly string[]>;
}

export async function paid(t: TestGate): Promise<Paid> {
  const shop = await checkout(t);
  await shop.begin();
  await t.clock.advance('5m');
  const refid = (await shop.session()).txRefid;
  if (refid === null) throw new Error('The session is not completed.');
  const transaction = await t.store.find('transaction', scopeOf(t), refid);
  const { operationId } = await shop.intent(transaction?.intentId ?? '');
  return paidOn(t, { shop, refid, operationId });
}

let keys = 0;

function paidOn(t: TestGate, payment: Pick<Paid, 'shop' | 'refid' | 'operationId'>): Paid {
  const { refid, operationId } = payment;
  return {
    ...payment,
    refund: (body = {}, idempotencyKey = `refund-${(keys += 1)}`) =>
      operatorRefund(t, { refid, body, key: idempotencyKey }),
    retrieve: async () => (await t.gate.transactions.retrieve(scopeOf(t), refid))._unsafeUnwrap(),
    on: (process) => paidOn(process, payment),
    moved: async () => {
      const effects = await t.ledger.effects(operationId, t.clock.now('test'));
      return effects.filter(({ kind }) => kind === 'refund').map(({ amount }) => amount);
    },
  };
}
