import { randomUUID } from 'node:crypto';
import type { Gate } from '@gateramp/sdk-node';
import { termsOf, type Choice } from './terms.js';

/** One order of the shop and the session that it is paid in. */
export interface Order extends Choice {
  readonly id: string;
  readonly session_id: string;
  readonly amount: string;
  readonly currency: string;
}

/** What the page needs to show the checkout. The secret is for this one session, and shown this once. */
export interface PlacedOrder extends Order {
  readonly client_secret: string;
}

/** Who orders, and under which name they know the shop. */
export interface Visit {
  readonly buyer: string;
  readonly origin: string;
}

export interface Orders {
  /** Opens a session in which this buyer pays for what was chosen. Rejects with the SDK's errors. */
  place(choice: Choice, visit: Visit): Promise<PlacedOrder>;
  find(id: string): Order | null;
  /** The money has settled, a verified webhook says. */
  settled(sessionId: string, txRefid: string): Promise<void>;
  /** Places an order and lets a test buyer pay for it, without any page. */
  sell(origin: string): Promise<{ readonly session_id: string; readonly status: string }>;
}

const KEPT_MAX = 200;
/** Past the day for which a session is open. */
const MORE_THAN_A_DAY_SECONDS = 86_401;

/** What a partner's server does before anything is shown: the amount is its own, whatever a browser says. */
export function orders(gate: Gate): Orders {
  const kept = new Map<string, Order>();

  async function place(choice: Choice, { buyer, origin }: Visit): Promise<PlacedOrder> {
    const id = randomUUID();
    const terms = termsOf(choice);
    // <shown>
    const session = await gate.gateSessions.create({
      // Amount and currency are yours alone.
      ...terms,
      return_url: `${origin}/return?order=${id}`,
      cancel_url: `${origin}/cancel?order=${id}`,
      // Of the signed-in buyer: it names whose cards the checkout saves and shows.
      user_reference: buyer,
      metadata: { order: id },
    });
    // </shown>
    const { amount, currency } = session;
    const order: Order = { ...choice, id, session_id: session.id, amount, currency };
    kept.set(id, order);
    for (const oldest of kept.keys()) if (kept.size > KEPT_MAX) kept.delete(oldest);
    if (choice.situation === 'unavailable') await gate.gateSessions.cancel(session.id);
    // The test mode's clock is one for all of its sessions: others that are open expire with it.
    if (choice.situation === 'expired') await gate.testHelpers.advanceClock(MORE_THAN_A_DAY_SECONDS);
    return { ...order, client_secret: session.client_secret };
  }

  return {
    place,
    find: (id) => kept.get(id) ?? null,
    settled: async (sessionId, txRefid) => {
      const order = [...kept.values()].find(({ session_id }) => session_id === sessionId);
      // The key is the order's, so that a webhook that comes twice refunds once.
      if (order?.situation === 'refund')
        await gate.transactions.refund(txRefid, { reason: 'Returned' }, { idempotencyKey: order.id });
    },
    sell: async (origin) => {
      const { session_id } = await place(
        { flow: null, situation: 'ordinary', way: 'full-page' },
        { buyer: randomUUID(), origin },
      );
      const { status } = await gate.testHelpers.simulate(session_id, 'succeed');
      return { session_id, status };
    },
  };
}
