import { createHmac } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { BARE_CLAIM, BARE_FILL, BARE_SCHEMA, BARE_SETTLE } from './bare-schema.mjs';
import { WEBHOOK_SECRET } from './gate.mjs';
import { benchPool } from './postgres.mjs';

/**
 * A hand-written worker: claims 64 due deliveries, signs and posts them over keep-alive connections, settles all 64 in one
 * statement, and claims again, in several concurrent rounds. It has no guard against private addresses, no limits per
 * receiver and no log. When nothing is due, it polls again after a short wait.
 */
const BATCH = 64;
const ROUNDS_AT_ONCE = 3;
const LOOK_AGAIN_MS = 5;
const LEASE_MS = 60_000;

const pool = benchPool();
await pool.query(BARE_SCHEMA);
const dispatcher = new Agent({ connections: BATCH * ROUNDS_AT_ONCE });
if (process.env.BENCH_COUNT) await pool.query(BARE_FILL, [Number(process.env.BENCH_COUNT), Date.now()]);

async function post({ event_id: eventId, type, body }) {
  const t = Math.floor(Date.now() / 1000);
  const v1 = createHmac('sha256', WEBHOOK_SECRET).update(`${t}.${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'svc-webhooks/1.0',
    'gate-signature': `t=${t},v1=${v1}`,
    'x-svc-timestamp': String(t),
    'x-svc-event-id': eventId,
    'x-svc-event-type': type,
  };
  const { statusCode, body: answer } = await request(process.env.BENCH_RECEIVER, {
    method: 'POST',
    dispatcher,
    body,
    headers,
  });
  await answer.dump();
  return statusCode;
}

async function rounds() {
  for (;;) {
    const now = Date.now();
    const { rows } = await pool.query({ name: 'claim', text: BARE_CLAIM, values: [now, BATCH, now + LEASE_MS] });
    if (rows.length === 0) {
      await wait(LOOK_AGAIN_MS);
      continue;
    }
    const statuses = await Promise.all(rows.map(post));
    await pool.query({ name: 'settle', text: BARE_SETTLE, values: [rows.map(({ id }) => id), statuses, Date.now()] });
  }
}

process.on('message', () => {
  for (let n = 0; n < ROUNDS_AT_ONCE; n += 1) void rounds();
});
process.send({ port: 0 });
