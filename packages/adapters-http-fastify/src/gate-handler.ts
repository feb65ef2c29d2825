import type { Gate, Mode } from '@gateramp/core';
import {
  BODY_BYTES_MAX,
  besideVary,
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

/** What is wrong with the options of a mount, and what right ones look like. */
export function mountError({ gate, mode }: Partial<GateMount>): TypeError | null {
  const problem = mountProblem(gate, { mode });
  return problem === null
    ? null
    : new TypeError(`${problem} Usage: await fastify.register(fastifyGate, { gate, mode: 'test' }).`);
}

/** Translates, calls, writes. It answers through `reply`, so the host's hooks see a reply like any other. */
export function gateHandler({ gate, mode, prefix, onWarning = emitWarning }: GateMount): GateHandler {
  const misuse = mountError({ gate, mode });
  if (misuse !== null) throw misuse;
  const depth = segmentsOf(prefix);
  const checkForwarding = forwardingWarning(onWarning);

  async function serve(request: FastifyRequest): Promise<HttpResponse> {
    checkForwarding(request);
    const { raw } = request;
    // Set by this plugin's own parser; methods that Fastify gives no body have not been parsed.
    const parsed = request.body as HttpBody | undefined;
    const target = requestTarget(raw.url ?? '/', depth);
    const message: HttpRequest = {
      method: request.method,
      prefix: target.prefix,
      path: target.path,
      query: target.query,
      headers: raw.headers,
      body: parsed ?? (await readBody(raw, raw, BODY_BYTES_MAX)),
      // Without an address the connection is already gone, and the answer is not read.
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
          .headers(besideVary(headers, reply.getHeader('vary')))
          .send(body === '' ? undefined : body),
      (error: unknown) => void reply.send(error),
    );
  });
  return (request, reply) => {
    begin([request, reply]);
  };
}
