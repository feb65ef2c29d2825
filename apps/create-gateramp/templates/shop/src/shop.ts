import { Gate, webhooks, type WebhookReceiver } from '@gateramp/sdk-node';
import { connection, SHOP_URL, type Connection } from './gate.ts';
import { findOrder, grantOrder, openOrder } from './orders.ts';

/**
 * Places an order for a mug, and returns the address of its checkout. The shop sets the price, never the browser. The order's id is
 * the idempotency key, so that one order has one session.
 */
export async function placeOrder(): Promise<string> {
  const { secretKey, apiUrl } = await connection();
  const { id, amount, currency } = openOrder();
  const session = await new Gate(secretKey, { baseUrl: apiUrl }).gateSessions.create(
    { amount, currency, flow: 'on_ramp', return_url: `${SHOP_URL}/orders/${id}`, user_reference: id },
    { idempotencyKey: id },
  );
  // Browsers do not send what follows the #, so no server logs the secret.
  return `${SHOP_URL}/checkout#client_secret=${session.client_secret}`;
}

let opened: Promise<WebhookReceiver> | undefined;

/** Receives the gate's webhooks: it verifies the signature over the raw bytes. */
export const webhookReceiver = (): Promise<WebhookReceiver> => (opened ??= connection().then(receive));

function receive({ webhookSecret, secretKey }: Connection): WebhookReceiver {
  return webhooks.receive({
    secret: webhookSecret,
    handle: ({ type, livemode, data }) => {
      if (type !== 'gate_session.completed') return;
      const order = findOrder(data.user_reference ?? '');
      // A session with other terms, or of test mode in a live shop, may have the same reference. Amounts are returned as they were sent.
      const isAsOrdered = data.amount === order?.amount && data.currency === order.currency;
      if (order === null || !isAsOrdered || livemode !== secretKey.startsWith('sk_live_'))
        return console.error(`Session ${data.id} pays for no order of this shop.`);
      if (grantOrder(order.id, { tx_refid: data.tx_refid })) console.log(`Order ${order.id} is paid: send the mug.`);
    },
  });
}
