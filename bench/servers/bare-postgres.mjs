import { hash, randomBytes, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { BARE_CREATE, BARE_FIND, BARE_SCHEMA } from './bare-schema.mjs';
import { benchPool } from './postgres.mjs';
import { PARTNER, SECRET_KEY } from './gate.mjs';

/**
 * The baseline: a fast server that a good engineer writes in an afternoon. It has its own tables, one prepared statement per request, a
 * body schema compiled by Fastify, API keys in memory, idempotency, and durable answers, but no sealing, limits, logging or metrics, and
 * no code of Gateramp.
 */
const pool = benchPool();
await pool.query(BARE_SCHEMA);
const partners = new Map([
  [hash('sha256', SECRET_KEY), { id: PARTNER.id, mode: 'test', origins: new Set(PARTNER.allowedOrigins) }],
]);
const app = Fastify();

const text = (maxLength) => ({ type: 'string', maxLength });
const BODY = {
  type: 'object',
  additionalProperties: false,
  required: ['amount', 'currency', 'return_url'],
  properties: {
    amount: { type: 'string', maxLength: 40, pattern: '^\\d+(\\.\\d{1,8})?$' },
    currency: { type: 'string', pattern: '^[A-Za-z]{3}$' },
    return_url: text(2048),
    cancel_url: text(2048),
    flow: { enum: ['on_ramp', 'off_ramp', 'swap'] },
    target_token: text(12),
    target_network: text(30),
    wallet_address: text(128),
    user_reference: text(128),
    metadata: { type: 'object' },
  },
};

app.post('/v1/gate_sessions', { schema: { body: BODY } }, async (request, reply) => {
  const caller = partnerOf(request);
  if (caller === undefined) return reply.code(401).send({ code: 'invalid_api_key' });
  const { body } = request;
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return reply.code(400).send({ code: 'idempotency_key_required' });
  if (!caller.origins.has(new URL(body.return_url).origin)) return reply.code(403).send({ code: 'origin_not_allowed' });

  const now = Date.now();
  const id = now.toString(16).padStart(12, '0') + randomBytes(6).toString('hex');
  const secret = `gsec_${id}_${randomBytes(16).toString('hex')}`;
  const session = sessionOf({
    ...body,
    id,
    partner_id: caller.id,
    mode: caller.mode,
    created_at: now,
    expires_at: now + 86_400_000,
  });
  const event = {
    id: randomUUID(),
    type: 'gate_session.created',
    created_at: Math.floor(now / 1000),
    sequence: 1,
    livemode: false,
    data: session,
  };
  const answer = JSON.stringify({ ...session, client_secret: secret });
  const fingerprint = hash('sha256', JSON.stringify(body));
  const { rows } = await pool.query({
    name: 'create',
    text: BARE_CREATE,
    values: [
      caller.id,
      caller.mode,
      key,
      fingerprint,
      answer,
      now,
      id,
      session.flow,
      session.amount,
      session.currency,
      session.target_token,
      session.target_network,
      session.return_url,
      session.cancel_url,
      session.wallet_address,
      session.user_reference,
      JSON.stringify(session.metadata),
      secret.slice(0, 34),
      hash('sha256', secret),
      now + 86_400_000,
      event.id,
      JSON.stringify(event),
    ],
  });
  const [{ is_new: isNew, fingerprint: stored, reply: earlier }] = rows;
  if (!isNew && stored === null) return reply.code(409).send({ code: 'operation_in_progress' });
  if (!isNew && stored !== fingerprint) return reply.code(422).send({ code: 'idempotency_key_mismatch' });
  return reply
    .code(201)
    .type('application/json; charset=utf-8')
    .send(isNew ? answer : earlier);
});

app.get('/v1/gate_sessions/:id', async (request, reply) => {
  const caller = partnerOf(request);
  if (caller === undefined) return reply.code(401).send({ code: 'invalid_api_key' });
  const { rows } = await pool.query({
    name: 'find',
    text: BARE_FIND,
    values: [caller.id, caller.mode, request.params.id],
  });
  if (rows.length === 0) return reply.code(404).send({ code: 'session_not_found' });
  const [row] = rows;
  return reply.type('application/json; charset=utf-8').send(
    JSON.stringify(
      sessionOf({
        ...row,
        created_at: Number(row.created_at),
        expires_at: Number(row.expires_at),
        metadata: JSON.parse(row.metadata),
      }),
    ),
  );
});

function partnerOf(request) {
  return partners.get(hash('sha256', (request.headers.authorization ?? '').slice('Bearer '.length)));
}

function sessionOf(row) {
  return {
    id: row.id,
    object: 'gate_session',
    partner_id: row.partner_id,
    mode: row.mode,
    flow: row.flow ?? null,
    amount: row.amount,
    currency: row.currency,
    target_token: row.target_token ?? null,
    target_network: row.target_network ?? null,
    return_url: row.return_url,
    cancel_url: row.cancel_url ?? null,
    wallet_address: row.wallet_address ?? null,
    user_reference: row.user_reference ?? null,
    kyc_pre_verified: false,
    status: row.status ?? 'open',
    expires_at: new Date(row.expires_at).toISOString(),
    created_at: new Date(row.created_at).toISOString(),
    metadata: row.metadata ?? {},
  };
}

await app.listen({ port: 0, host: '127.0.0.1' });
const made = await app.inject({
  method: 'POST',
  url: '/v1/gate_sessions',
  headers: { authorization: `Bearer ${SECRET_KEY}`, 'idempotency-key': randomUUID() },
  payload: { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
});
process.send({ port: app.server.address().port, sessionId: made.json().id });
