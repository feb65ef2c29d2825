import type { IncomingMessage, Server } from 'node:http';
import type { Gate, Mode } from '@gateramp/core';
import { mountProblem, originForm, unreadRequest } from '@gateramp/core/http';
import { clientErrorAnswerer } from '@gateramp/core/runtime';

/**
 * For what Node refuses before it asks Express: bytes that are no HTTP, headers that are too large, a request that does
 * not come in time, an `Expect` that cannot be met; and for addresses that Express cannot read.
 * `answerRefusedRequests(server, gate, { mode: 'live' })` gives them the contract's answer instead of a bare one, on
 * the whole server, for such requests match no route. `prefix` is where the gate is mounted, which its `doc_url`
 * begins with; null where that has parameters.
 */
export function answerRefusedRequests(
  server: Server,
  gate: Pick<Gate, 'handle'>,
  options: { readonly mode: Mode; readonly prefix?: string | null },
): void {
  const problem = mountProblem(gate, options);
  if (problem !== null) throw new TypeError(`${problem} Usage: answerRefusedRequests(server, gate, { mode: 'test' }).`);
  server.on(
    'clientError',
    clientErrorAnswerer((refusedAs, clientIp) =>
      gate.handle(options.mode, unreadRequest(refusedAs, clientIp, options.prefix)),
    ),
  );
  server.prependListener('request', leaveOutHost);
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Express finds no route for an address that names an invalid host. */
function leaveOutHost(request: IncomingMessage): void {
  request.url = originForm(request.url ?? '/');
}
