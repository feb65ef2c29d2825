import assert from 'node:assert/strict';
import { webhooks } from '@gateramp/sdk-node';
import { call, eventually, type Json } from '../../apps/reference-server/test/ask.js';

export interface Checkout {
  readonly shop: string;
  /** Where the API is, and a secret key for it. */
  readonly api: string;
  readonly secretKey: string;
}

/** A buyer presses "Buy" and pays as the sandbox's buyers do; the order is paid once its webhook has been verified. */
export async function buyFrom(checkout: Checkout): Promise<Json> {
  const { api, key, session, orderUrl } = await pressBuy(checkout);
  const opened = {
    id: session.user_reference,
    amount: session.amount,
    currency: session.currency,
    status: 'open',
    tx_refid: null,
  };
  assert.deepEqual((await call(orderUrl)).json, opened);
  const simulate = `${api}/v1/test_helpers/gate_sessions/${session.id}/simulate`;
  const played = await call(simulate, key, { scenario: 'succeed' });
  assert.deepEqual([played.status, played.json.status], [200, 'succeeded']);
  const paid = await eventually(async () => {
    const { json: order } = await call(orderUrl);
    return order.status === 'paid' ? order : null;
  });
  assert.deepEqual(paid, { ...opened, status: 'paid', tx_refid: played.json.tx_refid });
  return paid;
}

interface OtherTerms {
  readonly amount?: string;
  readonly currency?: string;
  readonly livemode?: boolean;
}

const OTHER_TERMS: readonly OtherTerms[] = [
  { amount: '0.01' },
  { amount: '2500.00' },
  { currency: 'JPY' },
  { livemode: true },
];

/** Sessions of other terms, or of live mode, complete and name the order in webhooks that are signed: it stays open. */
export async function payOtherwise(checkout: Checkout, webhookSecret: string): Promise<void> {
  const { shop, session, orderUrl } = await pressBuy(checkout);
  for (const [index, { livemode = false, ...other }] of OTHER_TERMS.entries()) {
    const { object, amount, currency, user_reference } = session;
    const data = { object, id: `other-${index}`, amount, currency, user_reference, tx_refid: 'gtx_other', ...other };
    const type = 'gate_session.completed';
    const body = JSON.stringify({ id: `${user_reference}-${index}`, type, sequence: 1, livemode, data });
    const signature = webhooks.generateTestHeader({ payload: body, secret: webhookSecret });
    const answered = await fetch(`${shop}/hooks`, { method: 'POST', body, headers: { 'gate-signature': signature } });
    assert.equal(answered.status, 200);
    const { json: order } = await call(orderUrl);
    assert.deepEqual([order.status, order.tx_refid], ['open', null], body);
  }
}

async function pressBuy({ shop, api, secretKey }: Checkout) {
  assert.match(await (await fetch(`${shop}/`)).text(), /25\.00 EUR/);
  const bought = await fetch(`${shop}/orders`, { method: 'POST', redirect: 'manual' });
  assert.equal(bought.status, 303);
  const checkout = new URL(bought.headers.get('location') ?? '');
  // A shop that mounts the checkout has the key in its own page.
  if (checkout.origin === shop) assert.match(await (await fetch(checkout)).text(), /"pk_test_\w+\\?"/);
  else assert.match(checkout.searchParams.get('publishableKey') ?? '', /^pk_test_/);
  const sessionId =
    /^gsec_([0-9a-f]{24})_/.exec(new URLSearchParams(checkout.hash.slice(1)).get('client_secret') ?? '')?.[1] ?? '';
  const key = { authorization: `Bearer ${secretKey}` };
  const { json: session } = await call(`${api}/v1/gate_sessions/${sessionId}`, key);
  assert.deepEqual([session.status, session.amount, session.currency], ['open', '25.00', 'EUR']);
  const orderUrl = String(session.return_url);
  assert.ok(orderUrl.startsWith(`${shop}/orders/`), orderUrl);
  return { shop, api, key, session, orderUrl };
}
