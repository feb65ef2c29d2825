import { webhooks, type Gate, type WebhookReceiver } from '@gateramp/sdk-node';

interface Order {
  readonly amount: string;
  readonly currency: string;
}

/** The orders of a shop and what it has granted for them. A deployed shop keeps both in its database. */
export class Orders {
  readonly granted: string[] = [];
  private readonly orders = new Map<string, Order>();

  constructor(private readonly gate: Gate) {}

  /** Creates an order with its session; returns the session's id. */
  async place(id: string, order: Order): Promise<string> {
    this.orders.set(id, order);
    const terms = { ...order, flow: 'on_ramp', return_url: 'https://shop.example/done', user_reference: id } as const;
    return (await this.gate.gateSessions.create(terms, { idempotencyKey: id })).id;
  }

  /** Verifies webhooks, and grants each order once. `now` is for tests in virtual time. */
  receiver(secret: string, now: () => number = Date.now): WebhookReceiver {
    return webhooks.receive({
      secret,
      now,
      handle: ({ type, data }) => {
        if (type !== 'gate_session.completed') return;
        const id = data.user_reference ?? '';
        const order = this.orders.get(id);
        if (data.amount !== order?.amount || data.currency !== order.currency) return;
        if (!this.granted.includes(id)) this.granted.push(id);
      },
    });
  }
}
