import type { RequestListener, ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import type { Readiness } from '../readiness.js';
import { answer, refuse } from './plain-answer.js';

interface Ops {
  readonly readiness: () => Promise<Readiness>;
  readonly registry: Registry;
  readonly onError: (error: unknown) => void;
}

/** For operators and orchestrators: health, readiness and metrics. */
export function opsListener(ops: Ops): RequestListener {
  return (request, response) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const path = isRead ? (request.url ?? '').split('?', 1)[0] : null;
    respond(ops, path ?? null, response).catch((error: unknown) => {
      ops.onError(error);
      refuse(response, 'service_unavailable', 'The lookup failed; see the log.');
    });
  };
}

async function respond({ readiness, registry }: Ops, path: string | null, response: ServerResponse): Promise<void> {
  switch (path) {
    case '/health':
      return answer(response, 200, 'application/json', JSON.stringify({ object: 'health', status: 'ok' }));
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
        'Not found. Available endpoints: GET /health, GET /ready and GET /metrics.',
      );
  }
}
