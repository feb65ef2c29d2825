import { randomUUID } from 'node:crypto';
import type { Gate } from '@gateramp/sdk-node';
import { termsOf, type Choice } from './terms.js';

/** An order of the shop and the session that it is paid in. */
export interface Order extends Choice {
  readonly id: string;
  readonly session_id: string;
  readonly amount: string;
  readonly currency: string;
}

/** The data that the page needs to show the checkout. The secret is valid for this session only and returned only once. */
export interface PlacedOrder extends Order {
  readonly client_secret: string;
}

/** The buyer, and the origin under which they opened the shop. */
export interface Visit {
  readonly buyer: string;
  readonly origin: string;
}

export interface Orders {
  /** Creates a session for the buyer's choice. Rejects with the SDK's errors. */
  place(choice: Choice, visit: Visit): Promise<PlacedOrder>;
  find(id: string): Order | null;
  /** Places an order and simulates its payment, without a page. */
  sell(origin: string): Promise<{ readonly session_id: string; readonly status: string }>;
}

const KEPT_MAX = 200;
/** Longer than the day for which a session is open. */
const MORE_THAN_A_DAY_SECONDS = 86_401;

/** The server side of a partner's checkout. The server sets the amount; a browser cannot. */
export function orders(gate: Gate): Orders {
  const kept = new Map<string, Order>();

  async function place(choice: Choice, { buyer, origin }: Visit): Promise<PlacedOrder> {
    const id = randomUUID();
    const terms = termsOf(choice);
    // <shown>
    const session = await gate.gateSessions.create({
      // The server sets the amount and currency.
      ...terms,
      return_url: `${origin}/return?order=${id}`,
      cancel_url: `${origin}/cancel?order=${id}`,
      // The signed-in buyer, whose saved cards the checkout shows.
      user_reference: buyer,
      metadata: { order: id },
    });
    // </shown>
    const { amount, currency } = session;
    const order: Order = { ...choice, id, session_id: session.id, amount, currency };
    kept.set(id, order);
    for (const oldest of kept.keys()) if (kept.size > KEPT_MAX) kept.delete(oldest);
    if (choice.situation === 'unavailable') await gate.gateSessions.cancel(session.id);
    // All test sessions of a partner share one clock, so other open sessions expire as well.
    if (choice.situation === 'expired') await gate.testHelpers.advanceClock(MORE_THAN_A_DAY_SECONDS);
    return { ...order, client_secret: session.client_secret };
  }

  return {
    place,
    find: (id) => kept.get(id) ?? null,
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
