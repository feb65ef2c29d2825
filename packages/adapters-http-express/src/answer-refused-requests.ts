import type { IncomingMessage, Server } from 'node:http';
import type { Gate, Mode } from '@gateramp/core';
import { mountProblem, originForm, unreadRequest } from '@gateramp/core/http';
import { clientErrorAnswerer } from '@gateramp/core/runtime';

/**
 * Answers requests that Node refuses before Express sees them (malformed HTTP, oversized headers, requests that time out, an unsupported
 * `Expect`), and addresses that Express cannot parse. `answerRefusedRequests(server, gate, { mode: 'live' })` replaces the bare responses
 * with the contract's, on the whole server, since such requests match no route. `prefix` is where the gate is mounted, which its `doc_url`
 * begins with; null if that has parameters.
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

/** Express finds no route for an address with an invalid host. */
function leaveOutHost(request: IncomingMessage): void {
  request.url = originForm(request.url ?? '/');
}
