import { GateError } from '@gateramp/sdk-node';
import { fastify } from 'fastify';
import { connection, PORT, SHOP_URL } from './gate.ts';
import { findOrder } from './orders.ts';
import { checkoutPage, SDK_SCRIPT, SHOP_PAGE } from './pages.ts';
import { placeOrder, webhookReceiver } from './shop.ts';

const app = fastify();
const gate = await connection();
const receiver = await webhookReceiver();

app.get('/', (_request, reply) => reply.type('text/html').send(SHOP_PAGE));
app.get('/checkout', (_request, reply) => reply.type('text/html').send(checkoutPage(gate)));
app.get('/gateramp.js', (_request, reply) => reply.type('text/javascript').send(SDK_SCRIPT));

app.addContentTypeParser('application/x-www-form-urlencoded', (_request, payload, done) => {
  payload.resume().on('end', () => done(null, null)); // the form has no fields
});
app.post('/orders', async (_request, reply) => {
  try {
    return await reply.redirect(await placeOrder(), 303);
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    console.error(`No checkout: ${error.code}, request ${error.requestId ?? 'unanswered'}`);
    return reply.code(502).send('The checkout cannot be reached. Nothing was charged.');
  }
});

app.get<{ Params: { id: string } }>('/orders/:id', (request, reply) => {
  const order = findOrder(request.params.id);
  return reply.code(order === null ? 404 : 200).send(order);
});

await app.register(receiver.fastify, { url: '/hooks' });

await app.listen({ port: PORT, host: process.env['HOST'] ?? '127.0.0.1' });
console.log(`The shop is open: ${SHOP_URL}`);
