import { expect } from 'vitest';
import { begin, cardOrder, look, open, pay, SALE, TRANSFER } from './purchases.js';
import type { Buyer } from './buyer.js';

const PAYS = '4242424242424242';
const DECLINES = '4000000000000002';
const ASKS_FOR_A_CODE = '4000000000003220';

/** The actions of a buyer. All requests can be repeated, and the story can be restarted at any point. */
export interface Story {
  readonly ending: 'completed' | 'cancelled' | 'expired';
  readonly live: (buyer: Buyer) => Promise<string>;
}

/** Stories that end with a paid session. */
export const PURCHASES = {
  'a card purchase with a kyc_package': {
    ending: 'completed',
    live: (buyer) =>
      buy(
        buyer,
        cardOrder(() => PAYS, '100.00', { kyc_package: { provider: 'acme', level: 'full' } }),
      ),
  },
  '3-D Secure': {
    ending: 'completed',
    live: (buyer) =>
      buy(
        buyer,
        cardOrder(() => ASKS_FOR_A_CODE),
      ),
  },
  'identity, then 3-D Secure': {
    ending: 'completed',
    live: (buyer) =>
      buy(
        buyer,
        cardOrder(() => ASKS_FOR_A_CODE, '14.50'),
      ),
  },
  'a bank transfer': { ending: 'completed', live: (buyer) => buy(buyer, TRANSFER) },
  'a sale of crypto': { ending: 'completed', live: (buyer) => buy(buyer, SALE) },
} satisfies Readonly<Record<string, Story>>;

/** Stories in which an attempt or session fails, is cancelled or expires. */
export const TURNS: Readonly<Record<string, Story>> = {
  'a decline, then another card': {
    ending: 'completed',
    live: (buyer) =>
      buy(
        buyer,
        cardOrder((n) => (n === 0 ? DECLINES : PAYS)),
      ),
  },
  'a cancelled attempt, then another': {
    ending: 'completed',
    live: async (buyer) => {
      const order = cardOrder((n) => (n === 0 ? ASKS_FOR_A_CODE : PAYS));
      const { id, embed } = await open(buyer, order);
      const intent = await begin(buyer, embed, order, 0);
      if ((await look(buyer, embed, intent))['status'] !== 'failed' || buyer.answered('cancel attempt') !== null) {
        const done = await buyer.ask('cancel attempt', `/v1/embed/intents/${String(intent['id'])}/cancel`, {
          headers: embed,
        });
        expect(done.status, done.text).toBe(200);
      }
      await pay(buyer, embed, order, 1);
      return id;
    },
  },
  'a session cancelled with a live attempt': {
    ending: 'cancelled',
    live: async (buyer) => {
      const order = cardOrder(() => ASKS_FOR_A_CODE);
      const { id, embed } = await open(buyer, order);
      await begin(buyer, embed, order, 0);
      const done = await buyer.t.request('POST', `/v1/gate_sessions/${id}/cancel`, { key: buyer.t.keys.secret.test });
      // A cancellation whose response was lost is answered with a conflict.
      expect([200, 409]).toContain(done.status);
      await buyer.workFor('1m');
      return id;
    },
  },
  'a session expired by a read with a live attempt': {
    ending: 'expired',
    live: async (buyer) => {
      const order = cardOrder(() => ASKS_FOR_A_CODE);
      const { keys } = buyer.t;
      const created = await buyer.ask('create', '/v1/gate_sessions', { key: keys.secret.test, body: order.session });
      const expiresAt = Date.parse(String(created.json['expires_at']));
      await buyer.waitUntil(expiresAt - 20 * 60_000);
      const { id, embed } = await open(buyer, order);
      await begin(buyer, embed, order, 0);
      await buyer.waitUntil(expiresAt + 1);
      const seen = await buyer.t.request('GET', `/v1/gate_sessions/${id}`, { key: keys.secret.test });
      expect(seen.json['status']).toBe('expired');
      await buyer.workFor('1m');
      return id;
    },
  },
};

async function buy(buyer: Buyer, order: Parameters<typeof open>[1]): Promise<string> {
  const { id, embed } = await open(buyer, order);
  await pay(buyer, embed, order);
  return id;
}
