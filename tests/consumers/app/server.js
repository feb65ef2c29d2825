import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { Gate, webhooks } from '@gateramp/sdk-node';

const gate = new Gate('sk_test_consumer', { baseUrl: 'http://127.0.0.1:1' });
const receiver = webhooks.receive({
  secret: 'whsec_consumer',
  handle: () => console.log(typeof gate.gateSessions.create),
});

const TYPES = { html: 'text/html', js: 'text/javascript' };

const server = createServer((request, response) => {
  const path = request.url === '/' ? '/index.html' : (request.url ?? '');
  if (path === '/hooks') return void receiver.express(request, response);
  if (!/^\/(index\.html|assets\/[\w-]+\.js)$/.test(path)) return void response.writeHead(404).end();
  response.writeHead(200, { 'content-type': TYPES[path.split('.').at(-1)] }).end(readFileSync(`dist${path}`));
}).listen(0, '127.0.0.1', () => console.log(`The shop is open: http://127.0.0.1:${server.address().port}`));
