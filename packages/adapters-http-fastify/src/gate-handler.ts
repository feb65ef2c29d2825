import type { Gate, Mode } from '@gateramp/core';
import {
  BODY_BYTES_MAX,
  mergeVary,
  hostRefusalCode,
  mountProblem,
  requestTarget,
  segmentsOf,
  type HttpBody,
  type HttpRequest,
  type HttpResponse,
} from '@gateramp/core/http';
import { perTurn, readBody } from '@gateramp/core/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { emitWarning, forwardingWarning, type Warn } from './forwarding-warning.js';

export interface GateMount {
  readonly gate: Pick<Gate, 'handle' | 'policy'>;
  readonly mode: Mode;
  readonly prefix: string;
  readonly onWarning?: Warn;
}

export type GateHandler = (request: FastifyRequest, reply: FastifyReply) => void;

/** Validates the options of a mount; the error shows correct usage. Null if they are valid. */
export function mountError({ gate, mode }: Partial<GateMount>): TypeError | null {
  const problem = mountProblem(gate, { mode });
  return problem === null
    ? null
    : new TypeError(`${problem} Usage: await fastify.register(fastifyGate, { gate, mode: 'test' }).`);
}

/** Translates requests for the gate. Responds through `reply`, so the host's hooks run as usual. */
export function gateHandler({ gate, mode, prefix, onWarning = emitWarning }: GateMount): GateHandler {
  const misuse = mountError({ gate, mode });
  if (misuse !== null) throw misuse;
  const depth = segmentsOf(prefix);
  const checkForwarding = forwardingWarning(onWarning);

  async function serve(request: FastifyRequest): Promise<HttpResponse> {
    checkForwarding(request);
    const { raw } = request;
    // Set by this plugin's parser; absent for methods that Fastify treats as bodiless.
    const parsed = request.body as HttpBody | undefined;
    const target = requestTarget(raw.url ?? '/', depth);
    const message: HttpRequest = {
      method: request.method,
      prefix: target.prefix,
      path: target.path,
      query: target.query,
      headers: raw.headers,
      body: parsed ?? (await readBody(raw, raw, BODY_BYTES_MAX)),
      // Without an address the connection is already closed, and no one reads the response.
      clientIp: raw.socket.remoteAddress === undefined ? '' : request.ip,
    };
    const refusedAs = hostRefusalCode(raw);
    return gate.handle(mode, refusedAs === null ? message : { ...message, refusedAs });
  }

  const begin = perTurn<readonly [FastifyRequest, FastifyReply]>(([request, reply]) => {
    serve(request).then(
      ({ status, headers, body }) =>
        void reply
          .code(status)
          .headers(mergeVary(headers, reply.getHeader('vary')))
          .send(body === '' ? undefined : body),
      (error: unknown) => void reply.send(error),
    );
  });
  return (request, reply) => {
    begin([request, reply]);
  };
}
