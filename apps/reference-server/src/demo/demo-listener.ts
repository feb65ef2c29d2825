import type { RequestListener } from 'node:http';
import { fastify, type FastifyReply } from 'fastify';
import type { Log } from '../log.js';
import { DEMO_PAGE, DEMO_SCRIPT, DEMO_STYLE, PAGE_POLICY } from './demo-page.js';
import type { DemoShop } from './demo-shop.js';
import type { ReceivedWebhooks } from './received-webhooks.js';

export interface Demo {
  readonly received: ReceivedWebhooks;
  /** Null where a seed file has replaced the demo partner: then there is nobody to sell as. */
  readonly shop: DemoShop | null;
  readonly log: Log;
}

const BODY_BYTES_MAX = 1 << 20;

/** The demo partner's site: a page, a button that sells, and the webhook receiver. */
export async function demoListener({ received, shop, log }: Demo): Promise<RequestListener> {
  const app = fastify({ bodyLimit: BODY_BYTES_MAX });
  // Signatures are over bytes: nothing may parse the body before it has been verified.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onSend', async (_request, reply) => void reply.headers(SECURITY_HEADERS));

  app.get('/', async (_request, reply) => page(reply, 'text/html', DEMO_PAGE));
  app.get('/demo.js', async (_request, reply) => page(reply, 'text/javascript', DEMO_SCRIPT));
  app.get('/demo.css', async (_request, reply) => page(reply, 'text/css', DEMO_STYLE));
  app.get('/hooks', async () => ({ object: 'list', data: received.list() }));

  app.post('/hooks', async (request, reply) => {
    const signature = request.headers['gate-signature'];
    const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const webhook = received.receive(rawBody, typeof signature === 'string' ? signature : null);
    if (!webhook.verified) return reply.code(400).send({ received: false, problem: webhook.problem });
    return { received: true };
  });

  app.post('/sell', async (request, reply) => {
    // A page elsewhere may post here; only this one may sell.
    if (request.headers['sec-fetch-site'] !== undefined && request.headers['sec-fetch-site'] !== 'same-origin') {
      return reply.code(403).send({ message: 'Only the page of this demo may do that.' });
    }
    if (shop === null)
      return reply.code(404).send({ message: 'GATE_SEED_FILE has replaced the demo partner; this shop has no key.' });
    try {
      return await shop.sell();
    } catch (error) {
      log.warn({ err: error }, 'The demo shop could not sell');
      return reply.code(502).send({ message: error instanceof Error ? error.message : 'The API did not answer.' });
    }
  });

  await app.ready();
  return (request, response) => app.routing(request, response);
}

const SECURITY_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cache-control': 'no-store',
} as const;

function page(reply: FastifyReply, type: string, text: string): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).send(text);
}
