import { createServer, type IncomingMessage, type Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type ReadyServer } from '../../../apps/reference-server/test/running-server.js';
import { freePort } from '../../services/ports.js';
import { buyFrom, payOtherwise } from '../purchase.js';
import { secret_keys, serverFor, webhook_secret } from '../shops.js';

type Handler = (request: Request) => Promise<Response>;

describe('the route handlers for Next.js', () => {
  let server: ReadyServer;
  let shop: Server;
  let shopUrl: string;
  beforeAll(async () => {
    const port = await freePort();
    shopUrl = `http://127.0.0.1:${port}`;
    server = await serverFor(port);
    vi.stubEnv('SHOP_URL', shopUrl);
    vi.stubEnv('GATE_BASE_URL', server.origins.sandbox);
    vi.stubEnv('GATE_CHECKOUT_URL', server.origins.sandbox_widget);
    shop = await served(port, await routes());
  });
  afterAll(() => {
    shop.closeAllConnections();
    shop.close();
    server.process.kill('SIGKILL');
    vi.unstubAllEnvs();
  });

  it('sell a mug, which is paid when the signed webhook says so', async () => {
    await buyFrom({ shop: shopUrl, api: server.origins.sandbox, secretKey: secret_keys[0] });
  });

  it('grant nothing for a signed event whose amount, currency or mode is not that of the order', async () => {
    await payOtherwise({ shop: shopUrl, api: server.origins.sandbox, secretKey: secret_keys[0] }, webhook_secret);
  });

  it('have published secrets as defaults on loopback addresses only', async () => {
    vi.resetModules();
    vi.stubEnv('SHOP_URL', 'https://shop.example');
    await expect(import('../../../examples/nextjs-route/lib/gate.js')).rejects.toThrow('Set GATE_PUBLISHABLE_KEY');
    vi.stubEnv('GATE_PUBLISHABLE_KEY', 'pk_test_own');
    vi.resetModules();
    await expect(import('../../../examples/nextjs-route/lib/gate.js')).rejects.toThrow('Set GATE_WEBHOOK_SECRET');
  });

  it('believe no webhook that is not signed, and know no other order', async () => {
    const forged = await fetch(`${shopUrl}/hooks`, { method: 'POST', body: '{"type":"gate_session.completed"}' });
    expect([forged.status, await forged.json()]).toMatchObject([400, { error: { reason: 'no_header' } }]);
    expect((await fetch(`${shopUrl}/orders/none`)).status).toBe(404);
  });
});

/** As Next.js finds them: by the folders beneath app/. */
async function routes(): Promise<(request: Request) => Promise<Response>> {
  const orders = await import('../../../examples/nextjs-route/app/orders/route.js');
  const order = await import('../../../examples/nextjs-route/app/orders/[id]/route.js');
  const hooks = await import('../../../examples/nextjs-route/app/hooks/route.js');
  // Next.js renders the page; the consumer run has the real one.
  const page: Handler = () => Promise.resolve(new Response('A mug, 25.00 EUR'));
  const table: Readonly<Record<string, Handler>> = {
    'GET /': page,
    'POST /orders': orders.POST,
    'POST /hooks': hooks.POST,
  };
  return (request) => {
    const { pathname } = new URL(request.url);
    const handler = table[`${request.method} ${pathname}`];
    const id = pathname.split('/')[2] ?? '';
    return handler === undefined ? order.GET(request, { params: Promise.resolve({ id }) }) : handler(request);
  };
}

/** A Fetch handler behind a socket. */
function served(port: number, handle: Handler): Promise<Server> {
  const shop = createServer((incoming, response) => {
    void bodyOf(incoming).then(async (body) => {
      const headers = Object.entries(incoming.headersDistinct).flatMap(([name, values = []]) =>
        values.map((value): [string, string] => [name, value]),
      );
      const method = incoming.method ?? 'GET';
      const sent = method === 'GET' ? {} : { body: new Uint8Array(body) };
      const answer = await handle(new Request(`http://shop${incoming.url ?? '/'}`, { method, headers, ...sent }));
      response.writeHead(answer.status, Object.fromEntries(answer.headers));
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
  });
  return new Promise((resolve) => shop.listen(port, '127.0.0.1', () => resolve(shop)));
}

async function bodyOf(incoming: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(Buffer.from(chunk as Uint8Array)); // a stream without an encoding gives bytes
  return Buffer.concat(chunks);
}
