import { expect } from 'vitest';
import { call, eventually, type Json } from '../../apps/reference-server/test/running-server.js';

export interface Checkout {
  readonly shop: string;
  /** Where the API is, and a secret key for it. */
  readonly api: string;
  readonly secretKey: string;
}

/** A buyer presses "Buy" and pays as the sandbox's buyers do; the order is paid once its webhook has been verified. */
export async function buyFrom({ shop, api, secretKey }: Checkout): Promise<Json> {
  expect(await (await fetch(`${shop}/`)).text()).toContain('25.00 EUR');
  const bought = await fetch(`${shop}/orders`, { method: 'POST', redirect: 'manual' });
  expect(bought.status).toBe(303);
  const checkout = new URL(bought.headers.get('location') ?? '');
  expect(checkout.searchParams.get('publishableKey')).toMatch(/^pk_test_/);
  const sessionId = /^gsec_([0-9a-f]{24})_/.exec(checkout.searchParams.get('client_secret') ?? '')?.[1] ?? '';
  const key = { authorization: `Bearer ${secretKey}` };

  const { json: session } = await call(`${api}/v1/gate_sessions/${sessionId}`, key);
  expect(session).toMatchObject({ status: 'open', amount: '25.00', currency: 'EUR' });
  expect(session.return_url).toContain(`${shop}/orders/`);
  const orderUrl = String(session.return_url);
  expect((await call(orderUrl)).json).toMatchObject({ id: session.user_reference, status: 'open', tx_refid: null });

  const played = await call(`${api}/v1/test_helpers/gate_sessions/${sessionId}/simulate`, key, { scenario: 'succeed' });
  expect([played.status, played.json.status]).toEqual([200, 'succeeded']);
  const paid = await eventually(async () => {
    const { json: order } = await call(orderUrl);
    return order.status === 'paid' ? order : null;
  });
  expect(paid.tx_refid).toBe(played.json.tx_refid);
  return paid;
}
