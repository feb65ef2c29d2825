import assert from 'node:assert/strict';
import { call, eventually, type Json } from '../../apps/reference-server/test/ask.js';

export interface Checkout {
  readonly shop: string;
  /** Where the API is, and a secret key for it. */
  readonly api: string;
  readonly secretKey: string;
}

/** A buyer presses "Buy" and pays as the sandbox's buyers do; the order is paid once its webhook has been verified. */
export async function buyFrom({ shop, api, secretKey }: Checkout): Promise<Json> {
  assert.match(await (await fetch(`${shop}/`)).text(), /25\.00 EUR/);
  const bought = await fetch(`${shop}/orders`, { method: 'POST', redirect: 'manual' });
  assert.equal(bought.status, 303);
  const checkout = new URL(bought.headers.get('location') ?? '');
  assert.match(checkout.searchParams.get('publishableKey') ?? '', /^pk_test_/);
  const sessionId = /^gsec_([0-9a-f]{24})_/.exec(checkout.searchParams.get('client_secret') ?? '')?.[1] ?? '';
  const key = { authorization: `Bearer ${secretKey}` };

  const { json: session } = await call(`${api}/v1/gate_sessions/${sessionId}`, key);
  assert.deepEqual([session.status, session.amount, session.currency], ['open', '25.00', 'EUR']);
  const orderUrl = String(session.return_url);
  assert.ok(orderUrl.startsWith(`${shop}/orders/`), orderUrl);
  const opened = { id: session.user_reference, status: 'open', tx_refid: null };
  assert.deepEqual((await call(orderUrl)).json, opened);

  const played = await call(`${api}/v1/test_helpers/gate_sessions/${sessionId}/simulate`, key, { scenario: 'succeed' });
  assert.deepEqual([played.status, played.json.status], [200, 'succeeded']);
  const paid = await eventually(async () => {
    const { json: order } = await call(orderUrl);
    return order.status === 'paid' ? order : null;
  });
  assert.deepEqual(paid, { ...opened, status: 'paid', tx_refid: played.json.tx_refid });
  return paid;
}
