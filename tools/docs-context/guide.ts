import { randomUUID } from 'node:crypto';

/** Your keys. The default values belong to the demo partner, and are for servers on this machine only. */
export const secretKey = process.env['GATE_SECRET_KEY'] ?? 'sk_test_gateramp_demo_secret_key';
export const publishableKey = process.env['GATE_PUBLISHABLE_KEY'] ?? 'pk_test_gateramp_demo_publishable_key';
const liveKey = process.env['GATE_LIVE_KEY'] ?? 'sk_live_gateramp_demo_pools_key';

/** The secret that signs your webhooks, and the port where your receiver listens for them. */
export const webhookSecret = process.env['GATE_WEBHOOK_SECRET'] ?? 'whsec_gateramp_demo_webhook_secret';
export const webhookPort = Number(process.env['WEBHOOK_PORT'] ?? 4250);

/** The hosts, each with a key that it accepts. */
const sandbox = { url: process.env['GATE_URL'] ?? 'http://127.0.0.1:4242', key: secretKey };
export const live = { url: process.env['GATE_LIVE_URL'] ?? 'http://127.0.0.1:4243', key: liveKey };
export const pools = { url: process.env['GATE_POOLS_URL'] ?? 'http://127.0.0.1:4246', key: liveKey };

/** Calls the API from your server. `Answer` is the type of the members that you use. */
export async function call<Answer>(
  method: 'GET' | 'POST',
  path: string,
  body?: Readonly<Record<string, unknown>>,
  { url, key, idempotencyKey = randomUUID() }: { url: string; key: string; idempotencyKey?: string } = sandbox,
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
  const answer = (await response.json()) as Answer & { code?: string; message?: string; request_id?: string };
  if (response.ok) return answer;
  const { code, message, request_id } = answer;
  throw new Error(`${method} ${path}: ${response.status} ${code}: ${message} (${request_id})`);
}

const granted = new Map<string, string>();

/** Your handling of a completed payment: once per event. In a shop, use a database table with a unique event id. */
export async function grantOnce(eventId: string, txRefid: string): Promise<void> {
  if (!granted.has(eventId)) granted.set(eventId, txRefid);
}
