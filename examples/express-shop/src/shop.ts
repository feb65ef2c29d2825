import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import { Gate, GateError, webhooks } from '@gateramp/sdk-node';
import express from 'express';

export interface ShopSettings {
  readonly shopUrl: string;
  readonly secretKey: string;
  readonly publishableKey: string;
  readonly webhookSecret: string;
  /** The address of the API and of its hosted checkout. */
  readonly baseUrl: string;
  readonly checkoutUrl: string;
}

interface Order {
  readonly id: string;
  readonly amount: string;
  readonly currency: string;
  status: 'open' | 'paid';
  tx_refid: string | null;
}

const MUG = { amount: '25.00', currency: 'EUR' } as const;

const PAGE = `<!doctype html><title>Mugs</title><h1>A mug, 25.00 EUR</h1>
<form method="post" action="/orders"><button>Buy</button></form>`;

/** A shop in one process: its orders are lost when it ends. */
export function openShop(settings: ShopSettings): Promise<Server> {
  const { shopUrl, secretKey, publishableKey, webhookSecret, baseUrl, checkoutUrl } = settings;
  const gate = new Gate(secretKey, { baseUrl });
  const orders = new Map<string, Order>();
  const app = express();

  app.get('/', (_request, response) => void response.type('html').send(PAGE));

  // The shop sets the price, never the browser. The order's id is the idempotency key, so that one order has one session.
  app.post('/orders', async (_request, response) => {
    const id = randomUUID();
    orders.set(id, { id, ...MUG, status: 'open', tx_refid: null });
    try {
      const session = await gate.gateSessions.create(
        {
          ...MUG,
          flow: 'on_ramp',
          return_url: `${shopUrl}/orders/${id}`,
          user_reference: id,
        },
        { idempotencyKey: id },
      );
      // Browsers do not send what follows the #, so no server logs the secret.
      response.redirect(303, `${checkoutUrl}/?publishableKey=${publishableKey}#client_secret=${session.client_secret}`);
    } catch (error) {
      if (!(error instanceof GateError)) throw error;
      console.error(`No checkout for order ${id}: ${error.code}, request ${error.requestId ?? 'unanswered'}`);
      response.status(502).send('The checkout cannot be reached. Nothing was charged.');
    }
  });

  app.get('/orders/:id', (request, response) => {
    const order = orders.get(request.params.id) ?? null;
    response.status(order === null ? 404 : 200).json(order);
  });

  // Mounted before any body parser: it reads the raw bytes itself, and passes each event on once.
  const isLive = secretKey.startsWith('sk_live_');
  const receiver = webhooks.receive({
    secret: webhookSecret,
    handle: ({ type, livemode, data }) => {
      if (type !== 'gate_session.completed') return;
      const order = orders.get(data.user_reference ?? '');
      if (order?.status !== 'open') return;
      // A session with other terms, or of test mode in a live shop, may have the same reference. Amounts are returned as they were sent.
      if (livemode !== isLive || data.amount !== order.amount || data.currency !== order.currency)
        return console.error(`Order ${order.id} was not paid as ordered: session ${data.id}`);
      Object.assign(order, { status: 'paid', tx_refid: data.tx_refid });
    },
  });
  app.post('/hooks', receiver.express);

  return new Promise((resolve) => {
    const server = app.listen(Number(new URL(shopUrl).port), '127.0.0.1', () => resolve(server));
  });
}
