import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { VERSION } from '@gateramp/core/http';
import type { Registry } from 'prom-client';
import type { Readiness } from '../readiness.js';
import type { WorkerControl } from '../worker-control.js';
import { answer, refuse } from './plain-answer.js';

interface Ops {
  readonly readiness: () => Promise<Readiness>;
  readonly registry: Registry;
  readonly worker: WorkerControl;
  readonly onError: (error: unknown) => void;
}

/** For operators and orchestrators: health, readiness and metrics; and draining the worker of this process. */
export function opsListener(ops: Ops): RequestListener {
  return (request, response) => {
    const path = (request.url ?? '').split('?', 1)[0] ?? '';
    if (request.method === 'POST') return control(ops.worker, path, request, response);
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    respond(ops, isRead ? path : null, response).catch((error: unknown) => {
      ops.onError(error);
      refuse(response, 'service_unavailable', 'The lookup failed; see the log.');
    });
  };
}

async function respond({ readiness, registry }: Ops, path: string | null, response: ServerResponse): Promise<void> {
  switch (path) {
    case '/health':
      return answer(
        response,
        200,
        'application/json',
        JSON.stringify({ object: 'health', status: 'ok', version: VERSION }),
      );
    case '/ready': {
      const state = await readiness();
      const isServing = state.status === 'ready' || state.status === 'degraded';
      return answer(response, isServing ? 200 : 503, 'application/json', JSON.stringify(state));
    }
    case '/metrics': {
      const text = await registry.metrics();
      return answer(response, 200, registry.contentType.replace('; charset=utf-8', ''), text);
    }
    default:
      return refuse(
        response,
        'route_not_found',
        'Not found. Available endpoints: GET /health, GET /ready and GET /metrics; POST /drain and POST /resume.',
      );
  }
}

/** Browsers name the origin of a page with every POST, which is how a page of another site is kept from draining a worker. */
function control(worker: WorkerControl, path: string, request: IncomingMessage, response: ServerResponse): void {
  request.resume();
  if (path !== '/drain' && path !== '/resume')
    return refuse(response, 'route_not_found', 'Not found. Available endpoints: POST /drain and POST /resume.');
  if (request.headers.origin !== undefined)
    return refuse(response, 'origin_not_allowed', 'This endpoint takes no requests of web pages.');
  if (path === '/drain') worker.drain();
  else worker.resume();
  answer(response, 202, 'application/json', JSON.stringify({ object: 'worker', status: worker.state() }));
}
