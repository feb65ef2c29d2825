import { randomUUID } from 'node:crypto';
import { GateError } from '@gateramp/sdk-node';
import { CHECKOUT_URL, gate, PUBLISHABLE_KEY, SHOP_URL } from '../../lib/gate';
import { MUG, openOrder } from '../../lib/orders';

/**
 * `<form method="post" action="/orders">`: the shop sets the price, and the order's id is the
 * idempotency key, so that one order has one session.
 */
export async function POST(): Promise<Response> {
  const id = randomUUID();
  openOrder(id);
  try {
    const session = await gate.gateSessions.create(
      { ...MUG, flow: 'on_ramp', return_url: `${SHOP_URL}/orders/${id}`, user_reference: id },
      { idempotencyKey: id },
    );
    // Browsers do not send what follows the #, so no server logs the secret.
    const location = `${CHECKOUT_URL}/?publishableKey=${PUBLISHABLE_KEY}#client_secret=${session.client_secret}`;
    return new Response(null, { status: 303, headers: { location } });
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    console.error(`No checkout for order ${id}: ${error.code}, request ${error.requestId ?? 'unanswered'}`);
    return new Response('The checkout cannot be reached. Nothing was charged.', { status: 502 });
  }
}
