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

/** The mode of the mounted host, and the callback for configuration warnings. */
export interface ExpressGateOptions {
  /** The mounted handler serves this mode, whatever the `Host` header says. */
  readonly mode: Mode;
  /** Called once for each configuration mistake that would otherwise only show in production. */
  readonly onWarning?: Warn;
}

/**
 * Serves a gate in an Express 5 app: `app.use(expressGate(gate, { mode: 'test' }))`, optionally under a prefix. It answers every
 * request below its mount point, including unknown routes, so mount it after routes that it must not hide. Client addresses are
 * `req.ip`: set Express's `trust proxy` behind a proxy.
 */
export function expressGate(gate: Pick<Gate, 'handle' | 'policy'>, options: ExpressGateOptions): RequestHandler {
  // `app.use(expressGate)` calls this with a request instead of a gate.
  const misuse = mountProblem(gate, options);
  if (misuse !== null) throw new TypeError(`${misuse} Usage: app.use(expressGate(gate, { mode: 'test' })).`);
  const { mode, onWarning = emitWarning } = options;
  const checkForwarding = forwardingWarning(onWarning);
  const serve = async ({ request, response, body }: Received): Promise<void> => {
    checkForwarding(request);
    const { path, query } = requestTarget(request.url);
    const message: HttpRequest = {
      method: request.method,
      // Express has already removed it from the path.
      prefix: request.baseUrl,
      path,
      query,
      headers: request.headers,
      body,
      // Without an address the connection is already closed, and no one reads the response.
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

/** A request with its body, ready to be handled. */
interface Received {
  readonly request: Request;
  readonly response: Response;
  readonly next: NextFunction;
  readonly body: HttpBody;
}

function emitWarning(message: string): void {
  process.emitWarning(message, 'GaterampWarning');
}
