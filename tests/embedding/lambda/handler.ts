import { inProcessScheduler, memoryRateLimits } from '@gateramp/adapters-store-memory';
import { sandboxProvider } from '@gateramp/adapters-provider-sandbox';
import { postgresStore } from '@gateramp/adapters-store-postgres';
import { createGate } from '@gateramp/core';
import pg from 'pg';

// One gate per instance, created at startup and reused between calls.
const pool = new pg.Pool({ connectionString: process.env['DATABASE_URL'], max: 5 });
const gate = createGate({
  store: postgresStore(pool), // `migrate(pool)` belongs in the deployment
  scheduler: inProcessScheduler(), // webhooks are sent by a worker process elsewhere, which calls `gate.start()`
  limits: memoryRateLimits(), // per instance; use `redisRateLimits` to share them
  providers: [sandboxProvider()],
  masterKey: Buffer.from(process.env['GATE_MASTER_KEY'] ?? '', 'base64'),
});

/** An event of an AWS Lambda function URL or an HTTP API (payload version 2.0). */
interface HttpEvent {
  readonly rawPath: string;
  readonly rawQueryString: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly isBase64Encoded: boolean;
  readonly requestContext: { readonly http: { readonly method: string; readonly sourceIp: string } };
}

export async function handler(event: HttpEvent): Promise<object> {
  const { method, sourceIp } = event.requestContext.http;
  const query = event.rawQueryString === '' ? '' : `?${event.rawQueryString}`;
  const body = event.body === undefined ? null : Buffer.from(event.body, event.isBase64Encoded ? 'base64' : 'utf8');
  const request = new Request(`https://lambda.internal${event.rawPath}${query}`, {
    method,
    headers: event.headers,
    body,
  });
  const answer = await gate.fetch(request, { mode: 'test', clientIp: sourceIp });
  return { statusCode: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
}
