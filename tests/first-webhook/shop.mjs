import { createServer } from 'node:http';
import { Gate, webhooks } from '@gateramp/sdk-node';

const gate = new Gate('sk_test_gateramp_demo_secret_key', { baseUrl: 'http://127.0.0.1:4242' });

const price = { amount: '25.00', currency: 'EUR' };

const receiver = webhooks.receive({
  secret: process.env.GATERAMP_WEBHOOK_SECRET,
  handle: ({ type, livemode, data }) => {
    console.log('verified', type);
    if (type !== 'gate_session.completed') return;
    // Fulfill the order only if amount, currency and mode are as ordered.
    const isAsOrdered = data.amount === price.amount && data.currency === price.currency && !livemode;
    console.log(isAsOrdered ? 'paid' : 'not as ordered', data.amount, data.currency, data.tx_refid);
  },
});

async function buy(response) {
  const order = { ...price, return_url: 'http://localhost:4240/' };
  const { client_secret } = await gate.gateSessions.create(order);
  const checkout = 'http://127.0.0.1:4244/?publishableKey=pk_test_gateramp_demo_publishable_key';
  response.writeHead(303, { location: `${checkout}#client_secret=${client_secret}` }).end(); // browsers do not send what follows the #
}

createServer((request, response) => {
  if (request.url === '/hooks') receiver.express(request, response);
  else if (request.url === '/') buy(response).catch((error) => response.writeHead(502).end(`No checkout: ${error}`));
  else response.writeHead(404).end();
}).listen(3000, () => console.log('The shop is open: http://localhost:3000'));
