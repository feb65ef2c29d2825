import type { Gate, Mode } from '@gateramp/core';
import {
  BODY_BYTES_MAX,
  hostRefusalCode,
  mountProblem,
  requestTarget,
  type HttpBody,
  type HttpRequest,
} from '@gateramp/core/http';
import { ClientLeft, perTurn } from '@gateramp/core/runtime';
import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { forwardingWarning, type Warn } from './forwarding-warning.js';
import { receiveBody } from './receive-body.js';
import { writeAnswer } from './write-answer.js';

/** Which host is mounted, and who is notified of a set-up that would fail only in production. */
export interface ExpressGateOptions {
  /** The mounted handler is the host of this mode, whatever a `Host` header says. */
  readonly mode: Mode;
  /** Called once with each mistake of configuration that would otherwise show only in production. */
  readonly onWarning?: Warn;
}

/**
 * Serves a gate in an Express 5 app: `app.use(expressGate(gate, { mode: 'test' }))`, or under a
 * prefix. It answers everything beneath its mount, unknown routes too, so mount it after what it
 * must not hide. Client addresses are `req.ip`: set Express's `trust proxy` behind a proxy.
 */
export function expressGate(gate: Pick<Gate, 'handle' | 'policy'>, options: ExpressGateOptions): RequestHandler {
  // `app.use(expressGate)` lands here with a request in place of the gate.
  const misuse = mountProblem(gate, options);
  if (misuse !== null) throw new TypeError(`${misuse} Usage: app.use(expressGate(gate, { mode: 'test' })).`);
  const { mode, onWarning = emitWarning } = options;
  const checkForwarding = forwardingWarning(onWarning);
  const serve = async ({ request, response, body }: Received): Promise<void> => {
    checkForwarding(request);
    const { path, query } = requestTarget(request.url);
    const message: HttpRequest = {
      method: request.method,
      // Express has cut it off already.
      prefix: request.baseUrl,
      path,
      query,
      headers: request.headers,
      body,
      // Without an address the connection is already gone, and the answer is not read.
      clientIp: request.ip ?? '',
    };
    const refusedAs = hostRefusalCode(request);
    writeAnswer(response, await gate.handle(mode, refusedAs === null ? message : { ...message, refusedAs }));
  };
  const begin = perTurn<Received>((received) => {
    serve(received).catch(received.next);
  });
  return (request, response, next) => {
    receiveBody(request, BODY_BYTES_MAX).then(
      (body) => {
        begin({ request, response, next, body });
      },
      (error: unknown) => {
        if (!(error instanceof ClientLeft)) next(error);
      },
    );
  };
}

/** A request with its body read, waiting for its turn. */
interface Received {
  readonly request: Request;
  readonly response: Response;
  readonly next: NextFunction;
  readonly body: HttpBody;
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'GaterampWarning');
}
