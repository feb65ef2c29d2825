import { randomUUID } from 'node:crypto';

/** The host and key to use; by default the demo partner of `npm start`. */
const SANDBOX = {
  url: process.env['GATE_URL'] ?? 'http://127.0.0.1:4242',
  key: process.env['GATE_SECRET_KEY'] ?? 'sk_test_gateramp_demo_secret_key',
};

/** Calls the API from your server. `Answer` is the type of the members that you use. */
export async function call<Answer>(
  method: 'GET' | 'POST',
  path: string,
  body?: Readonly<Record<string, unknown>>,
  { url, key, idempotencyKey = randomUUID() }: { url: string; key: string; idempotencyKey?: string } = SANDBOX,
): Promise<Answer> {
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${key}`,
      ...(method === 'POST' ? { 'idempotency-key': idempotencyKey } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // The OpenAPI document describes each response.
  const answer = (await response.json()) as Answer & { code?: string; request_id?: string };
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${answer.code} (${answer.request_id})`);
  return answer;
}
