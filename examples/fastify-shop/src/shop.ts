import { createServer } from 'node:http';
import { fastifyGate } from '@gateramp/adapters-http-fastify';
import { gracefulStop } from '@gateramp/core/runtime';
import { widgetListener } from '@gateramp/widget';
import { fastify } from 'fastify';
import pg from 'pg';
import { openGate, type GateSettings } from './gate.js';
import { createOrders, findOrder, placeOrder, sendMugs, type World } from './orders.js';

export interface ShopSettings extends GateSettings {
  readonly databaseUrl: string;
  /** The address at which the checkout page calls the engine. */
  readonly apiUrl: string;
}

export interface Shop extends World {
  close(): Promise<void>;
}

const PAGE = `<!doctype html><title>Mugs</title><h1>A mug, 25.00 EUR</h1>
<form method="post" action="/orders"><button>Buy</button></form>`;

/** Opens three addresses, which would be three host names in production: the shop, the API of its engine, and the hosted checkout. */
export async function openShop(settings: ShopSettings): Promise<Shop> {
  const { databaseUrl, shopUrl, apiUrl, checkoutUrl, publishableKey } = settings;
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10 });
  // Without a listener, the loss of an idle connection ends the process.
  pool.on('error', (error) => console.error(`A database connection broke: ${error.message}`));
  await createOrders(pool);
  const world: World = { pool, shopUrl, ...(await openGate(pool, settings)) };
  const { gate } = world;
  sendMugs(world);
  await gate.start();

  const shop = fastify();
  shop.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
    payload.resume().on('end', () => done(null, null)); // the form has no fields
  });
  shop.get('/', (_request, reply) => reply.type('text/html').send(PAGE));
  shop.post('/orders', async (_request, reply) => {
    const clientSecret = await placeOrder(world);
    // Browsers do not send what follows the #, so no server logs the secret.
    return reply.redirect(`${checkoutUrl}/?publishableKey=${publishableKey}#client_secret=${clientSecret}`, 303);
  });
  shop.get<{ Params: { id: string } }>('/orders/:id', async ({ params }, reply) => {
    const order = await findOrder(pool, params.id);
    return reply.code(order === null ? 404 : 200).send(order);
  });

  const api = fastify();
  await api.register(fastifyGate, { gate, mode: 'test' });

  const originsOf = (key: string): Promise<readonly string[] | null> => gate.embed.allowedOrigins('test', key);
  const checkout = createServer(widgetListener({ mode: 'test', apiOrigin: apiUrl, originsOf, onError: console.error }));

  const close = gracefulStop({
    servers: [shop.server, api.server, checkout],
    gate,
    mode: 'test',
    close: [() => shop.close(), () => api.close(), () => pool.end()],
  });
  await shop.listen(at(shopUrl));
  await api.listen(at(apiUrl));
  await new Promise<void>((resolve) => checkout.listen(at(checkoutUrl), resolve));

  return { ...world, close };
}

const at = (url: string): { host: string; port: number } => ({ host: '127.0.0.1', port: Number(new URL(url).port) });
