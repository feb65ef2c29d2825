import { GateError } from '@gateramp/sdk-node';
import express from 'express';
import { connection, PORT, SHOP_URL } from './gate.ts';
import { findOrder } from './orders.ts';
import { checkoutPage, SDK_SCRIPT, SHOP_PAGE } from './pages.ts';
import { placeOrder, webhookReceiver } from './shop.ts';

const app = express();
const gate = await connection();
const receiver = await webhookReceiver();

app.get('/', (_request, response) => void response.type('html').send(SHOP_PAGE));
app.get('/checkout', (_request, response) => void response.type('html').send(checkoutPage(gate)));
app.get('/gateramp.js', (_request, response) => void response.type('js').send(SDK_SCRIPT));

app.post('/orders', async (_request, response) => {
  try {
    response.redirect(303, await placeOrder());
  } catch (error) {
    if (!(error instanceof GateError)) throw error;
    console.error(`No checkout: ${error.code}, request ${error.requestId ?? 'unanswered'}`);
    response.status(502).send('The checkout cannot be reached. Nothing was charged.');
  }
});

app.get('/orders/:id', (request, response) => {
  const order = findOrder(request.params.id);
  response.status(order === null ? 404 : 200).json(order);
});

// Mount it before any body parser: it reads the raw bytes itself.
app.post('/hooks', receiver.express);

app.listen(PORT, process.env['HOST'] ?? '127.0.0.1', () => console.log(`The shop is open: ${SHOP_URL}`));
