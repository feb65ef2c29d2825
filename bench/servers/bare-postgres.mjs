import { hash, randomBytes, randomUUID } from 'node:crypto';
import { migrate } from '@gateramp/adapters-store-postgres';
import Fastify from 'fastify';
import { bareAnswer } from './bare-answer.mjs';
import { benchPool } from './postgres.mjs';

/**
 * What a good engineer writes by hand in an afternoon: parse, one prepared statement a request, the same rows of the
 * same sizes in the same tables (another schema), the same pool. No sealing, no limits, no checks; the only crypto is
 * the secret's hash.
 */
const SCHEMA = 'baseline';
const PARTNER = '65f0c0ffee65f0c0ffee0001';

const INSERT = `
with k as (
  insert into ${SCHEMA}.idempotency_keys (scope, key_hash, mode, fingerprint, reply, written_by, taken_at, expires_at)
  values ($1, $2, 'test', $3, $4, 'claim', $5, $6) on conflict do nothing returning 1),
s as (
  insert into ${SCHEMA}.sessions (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
  select $7, 'test', $8, 1, 'open', null, $9, null, $5, $6, false, $10 from k returning 1),
e as (
  insert into ${SCHEMA}.events (id, partner_id, mode, session_id, sequence, type, created_at, body)
  select $11, $7, 'test', $8, 1, 'gate_session.created', $5, $12 from k returning 1),
d as (
  insert into ${SCHEMA}.deliveries (partner_id, mode, id, event_id, event_type, status, created_at, row)
  select $7, 'test', $13, $11, 'gate_session.created', 'pending', $5, $14 from k returning 1),
q as (
  insert into ${SCHEMA}.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, free_at, claims)
  select $13, $7, 'test', 'first', $15, $11, $5, 0 from k returning 1)
select (select count(*) from s) as made`;

const pool = benchPool();
await migrate(pool, { schema: SCHEMA });
const app = Fastify();
app.post('/v1/gate_sessions', async (request, reply) => {
  const now = Date.now();
  const id = now.toString(16).padStart(12, '0') + randomBytes(6).toString('hex');
  const answer = { ...bareAnswer(request.body), id, client_secret: `gsec_${id}_${randomBytes(16).toString('hex')}` };
  const { client_secret: secret, ...session } = answer;
  const row = { ...session, secretPrefix: secret.slice(0, 34), secretHash: hash('sha256', secret), version: 1, sequence: 1, heldSince: null, intentId: null, attempts: 0, txRefid: null };
  const eventId = randomUUID();
  const deliveryId = now.toString(16).padStart(12, '0') + randomBytes(6).toString('hex');
  const body = JSON.stringify({ id: eventId, type: 'gate_session.created', created_at: Math.floor(now / 1000), sequence: 1, livemode: false, data: session });
  await pool.query({
    name: 'create',
    text: INSERT,
    values: [
      `${PARTNER}/test`, request.headers['idempotency-key'], FINGERPRINT, REPLY, now, now + 86_400_000, PARTNER, id, answer.currency,
      JSON.stringify(row), eventId, body, deliveryId, JSON.stringify({ ...DELIVERY, id: deliveryId, eventId, sessionId: id, dueAt: now, createdAt: now }), `${PARTNER}/test/webhook`,
    ],
  });
  reply.code(201);
  return answer;
});
app.get('/v1/gate_sessions/:id', async (request) => {
  const { rows } = await pool.query({
    name: 'find',
    text: `select row from ${SCHEMA}.sessions where partner_id = $1 and mode = $2 and id = $3`,
    values: [PARTNER, 'test', request.params.id],
  });
  return rows[0].row;
});

/** As long as what the engine keeps of a key and its reply. */
const FINGERPRINT = 'f'.repeat(64);
const REPLY = 'r'.repeat(1000);
const DELIVERY = {
  eventType: 'gate_session.created', partnerId: PARTNER, mode: 'test', target: 'webhook', status: 'pending', lane: 'first',
  attemptCount: 0, attemptsTotal: 0, replayCount: 0, leaseToken: null, leaseUntil: null, claims: 0, parkedAt: null,
  trigger: 'initial', url: null, lastResponseStatus: null, lastError: null, lastAttemptAt: null, deliveredAt: null, deadLetteredAt: null,
};

await app.listen({ port: 0, host: '127.0.0.1' });
const made = await app.inject({
  method: 'POST', url: '/v1/gate_sessions', headers: { 'idempotency-key': randomUUID() },
  payload: { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
});
process.send({ port: app.server.address().port, sessionId: made.json().id });
