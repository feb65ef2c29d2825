import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { ErrorCode } from '@gateramp/core';
import { errorBody, STATUSES, type HttpResponse } from '@gateramp/core/http';

/** Sends a complete response; for HEAD only the headers. */
export function answer(
  response: ServerResponse,
  status: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...headers,
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

/** The error envelope of the contract, for listeners without a gate. */
export function refusal(code: ErrorCode, message: string): HttpResponse {
  const requestId = `req_${randomUUID().replaceAll('-', '').slice(0, 24)}`;
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-request-id': requestId,
  };
  return {
    status: STATUSES[code],
    headers,
    body: errorBody({ code, message }, requestId, STATUSES[code], `/docs#${code}`),
  };
}

export function refuse(response: ServerResponse, code: ErrorCode, message: string): void {
  const { status, headers, body } = refusal(code, message);
  answer(response, status, 'application/json', body, headers);
}
