import { BODY_BYTES_MAX } from './body-limit.js';
import { type ReceiveDelivery } from './answer.js';

/** The required members of a Fastify instance. */
export interface FastifyLike {
  removeAllContentTypeParsers(): unknown;
  addContentTypeParser(
    contentType: string,
    options: { readonly parseAs: 'buffer'; readonly bodyLimit: number },
    parser: (request: unknown, body: Uint8Array, done: (error: Error | null, body?: unknown) => void) => void,
  ): unknown;
  post(url: string, handler: (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown>): unknown;
}

interface FastifyRequestLike {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

interface FastifyReplyLike {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
}

export type FastifyPlugin = (
  instance: FastifyLike,
  options: { readonly url?: string | undefined },
  done: (error?: Error) => void,
) => void;

/** Keeps bodies as bytes within the plugin; parsers of the rest of the application are unaffected. */
export const fastifyPlugin =
  (take: ReceiveDelivery): FastifyPlugin =>
  (instance, { url = '/' }, done) => {
    instance.removeAllContentTypeParsers();
    instance.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: BODY_BYTES_MAX }, (_, body, parsed) =>
      parsed(null, body),
    );
    instance.post(url, async (request, reply) => {
      const { headers } = request;
      const payload = request.body instanceof Uint8Array ? request.body : new Uint8Array();
      const { status, body } = await take(
        payload,
        headers['gate-signature'],
        headers['traceparent'],
        headers['tracestate'],
      );
      reply.code(status);
      reply.header('content-type', 'application/json');
      return body;
    });
    done();
  };
