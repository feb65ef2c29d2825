import { createServer, type Server } from 'node:http';
import type { Gate, Mode } from '@gateramp/core';
import {
  BODY_BYTES_MAX,
  mergeVary,
  hostRefusalCode,
  mountProblem,
  originForm,
  requestTarget,
  takesFile,
  unreadRequest,
} from '@gateramp/core/http';
import { ClientLeft, clientErrorAnswerer, readBody, SERVER_LIMITS, unreadBody } from '@gateramp/core/runtime';
import type Koa from 'koa';

/** Serves a gate in a Koa app: `app.use(koaGate(gate, { mode: 'test' }))`. It answers every path. */
export function koaGate(gate: Pick<Gate, 'handle' | 'policy'>, options: { readonly mode: Mode }): Koa.Middleware {
  const problem = mountProblem(gate, options);
  if (problem !== null) throw new TypeError(problem);
  return async (context) => {
    const { req, ip, method } = context;
    const target = requestTarget(req.url ?? '/');
    // The gate reads files itself, after it has authenticated the sender.
    const body = takesFile(method, target.path)
      ? unreadBody(req, req)
      : await readBody(req, req, BODY_BYTES_MAX).catch(ignoreDisconnect);
    if (body === null) return;
    const refusedAs = hostRefusalCode(req);
    const request = { method, ...target, headers: req.headers, body, clientIp: ip };
    const answer = await gate.handle(options.mode, refusedAs === null ? request : { ...request, refusedAs });
    context.status = answer.status;
    context.set(mergeVary(answer.headers, context.response.get('vary') || undefined));
    context.body = answer.body;
  };
}

/** A server for Koa that also answers requests which Node rejects before Koa runs, with the error envelope. */
export function koaServer(app: Koa, gate: Pick<Gate, 'handle'>, { mode }: { readonly mode: Mode }): Server {
  const serve = app.callback();
  const server = createServer({ ...SERVER_LIMITS, requireHostHeader: false }, (request, response) => {
    request.url = originForm(request.url ?? '/'); // proxies may send `GET http://host/path`
    void serve(request, response);
  });
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on(
    'clientError',
    clientErrorAnswerer((refusedAs, clientIp) => gate.handle(mode, unreadRequest(refusedAs, clientIp))),
  );
  return server;
}

/** A client that disconnects while it sends its body gets no response. */
function ignoreDisconnect(error: unknown): null {
  if (error instanceof ClientLeft) return null;
  throw error;
}
