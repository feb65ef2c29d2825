import { randomUUID } from 'node:crypto';
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from 'fastify';
import { GateError } from '@gateramp/sdk-node';
import { isSameShop } from './is-same-shop.js';
import type { Orders } from './orders.js';
import { FLOWS, SITUATIONS, WAYS, type Choice } from './terms.js';

interface OrderParts {
  /** Null if the shop has no API key. */
  readonly selling: {
    readonly orders: Orders;
    /** Applies the branding, before the first checkout is shown. */
    readonly dress: () => Promise<void>;
  } | null;
  readonly origin: string;
  readonly onError: (error: unknown) => void;
}

const CHOICE = {
  type: 'object',
  required: ['flow', 'situation'],
  additionalProperties: false,
  properties: {
    flow: { enum: [...FLOWS, null] },
    situation: { enum: [...SITUATIONS] },
    way: { enum: [...WAYS], default: 'full-page' },
  },
} as const;

/** The routes that the shop's page calls. */
export function orderRoutes({ selling, origin, onError }: OrderParts): FastifyPluginAsync {
  return async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.method === 'POST' && isFromElsewhere(request))
        return reply.code(403).send({ message: 'Only the page of this shop may do that.' });
    });

    app.post<{ Body: Choice }>('/orders', { schema: { body: CHOICE } }, (request, reply) =>
      sold(reply, async (shop, dress) => {
        const order = await shop.place(request.body, {
          buyer: buyerOf(request, reply),
          origin: originOf(request),
        });
        await dress();
        return order;
      }),
    );

    app.get<{ Params: { id: string } }>('/orders/:id', async ({ params }, reply) => {
      const order = selling?.orders.find(params.id) ?? null;
      return order ?? reply.code(404).send({ message: 'There is no such order.' });
    });

    app.post('/sell', (request, reply) => sold(reply, (shop) => shop.sell(originOf(request))));

    async function sold(
      reply: FastifyReply,
      sell: (shop: Orders, dress: () => Promise<void>) => Promise<object>,
    ): Promise<object> {
      if (selling === null)
        return reply.code(404).send({
          message:
            'This shop has no key. The demo partner exists on a loopback address and without GATE_SEED_FILE only.',
        });
      try {
        return await sell(selling.orders, selling.dress);
      } catch (error) {
        onError(error);
        return reply.code(502).send({ message: messageOf(error) });
      }
    }

    /** Buyers return to the host name under which they opened the shop. */
    function originOf({ headers }: FastifyRequest): string {
      return headers.origin !== undefined && isSameShop(headers.origin, origin) ? headers.origin : origin;
    }
  };
}

const BUYER_COOKIE = /(?:^|;\s*)demo_shop_buyer=([0-9a-f-]{36})(?:;|$)/;

/**
 * The buyer of this browser, whom a real shop identifies by sign-in. The server sets the cookie: if the page could name its buyer, it could
 * name another one and pay with their cards.
 */
function buyerOf({ headers }: FastifyRequest, reply: FastifyReply): string {
  const known = BUYER_COOKIE.exec(headers.cookie ?? '')?.[1];
  if (known !== undefined) return known;
  const fresh = randomUUID();
  reply.header('set-cookie', `demo_shop_buyer=${fresh}; Path=/; HttpOnly; SameSite=Lax`);
  return fresh;
}

/** Detects posts from other sites by the header that browsers add. */
function isFromElsewhere({ headers }: FastifyRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site !== undefined && site !== 'same-origin';
}

function messageOf(error: unknown): string {
  if (error instanceof GateError) return `${error.code}: ${error.message}`;
  return 'The shop could not take the order.';
}
