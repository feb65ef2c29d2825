import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** Sends a whole answer. HEAD gets the headers alone. */
export function answer(response: ServerResponse, status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

const TYPES = { 404: 'not_found', 503: 'server_error' } as const;

/** The contract's error envelope, for listeners that no gate answers. */
export function refuse(response: ServerResponse, status: keyof typeof TYPES, code: string, message: string): void {
  const requestId = `req_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  const envelope = { type: TYPES[status], code, message, request_id: requestId, doc_url: null, statusCode: status };
  answer(response, status, 'application/json', JSON.stringify(envelope), { 'x-request-id': requestId });
}
