import type { FastifyPluginAsync } from 'fastify';
import type { ReceivedWebhooks } from './received-webhooks.js';
import type { WebhookStreams } from './webhook-streams.js';

interface WebhookParts {
  readonly received: ReceivedWebhooks;
  readonly streams: WebhookStreams;
}

/** The route that receives webhooks, and the routes by which the page reads them. */
export function webhookRoutes({ received, streams }: WebhookParts): FastifyPluginAsync {
  return async (app) => {
    // Signatures cover the raw bytes, so the body must not be parsed before it is verified.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

    app.post('/hooks', async (request, reply) => {
      const signature = request.headers['gate-signature'];
      const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
      const webhook = received.receive(rawBody, typeof signature === 'string' ? signature : null);
      streams.send(webhook);
      if (!webhook.verified) return reply.code(400).send({ received: false, problem: webhook.problem });
      return { received: true };
    });

    app.get('/hooks', async () => ({ object: 'list', data: received.list() }));

    app.get('/stream', async (_request, reply) => {
      if (streams.isFull) return reply.code(503).send({ message: 'Too many pages are open.' });
      reply.hijack();
      streams.add(reply.raw);
    });
  };
}
