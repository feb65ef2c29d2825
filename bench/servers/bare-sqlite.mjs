import { hash, randomBytes, randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import Libsql from 'libsql';
import { PARTNER, SECRET_KEY } from './gate.mjs';

/**
 * The baseline: a fast server that a good engineer writes in an afternoon. It has its own tables, prepared statements, one transaction per
 * request, API keys in memory and idempotency, and syncs before it answers, as Gateramp does. It has no sealing or limits, and no code of
 * Gateramp.
 */
const database = new Libsql(process.env.BENCH_DATABASE_FILE);
database.exec('pragma journal_mode = wal');
database.exec('pragma synchronous = full');
database.exec(`
  create table keys (partner text, mode text, key text, fingerprint text, reply text, expires_at integer, primary key (partner, mode, key)) without rowid;
  create table sessions (partner text, mode text, id text, status text, row text, secret_hash text, primary key (partner, mode, id)) without rowid;
  create table events (id text primary key, session_id text, sequence integer, body text, unique (session_id, sequence));
  create table deliveries (id text primary key, event_id text, due_at integer);
  create index deliveries_due on deliveries (due_at, id);
`);
const findKey = database.prepare('select fingerprint, reply from keys where partner = ? and mode = ? and key = ?');
const putKey = database.prepare('insert into keys values (?, ?, ?, ?, ?, ?)');
const putSession = database.prepare('insert into sessions values (?, ?, ?, ?, ?, ?)');
const putEvent = database.prepare('insert into events values (?, ?, 1, ?)');
const putDelivery = database.prepare('insert into deliveries values (?, ?, ?)');

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
    user_reference: text(128),
    metadata: { type: 'object' },
  },
};

app.post('/v1/gate_sessions', { schema: { body: BODY } }, (request, reply) => {
  const caller = partners.get(hash('sha256', (request.headers.authorization ?? '').slice('Bearer '.length)));
  if (caller === undefined) return reply.code(401).send({ code: 'invalid_api_key' });
  const { body } = request;
  const key = request.headers['idempotency-key'];
  if (typeof key !== 'string' || key === '') return reply.code(400).send({ code: 'idempotency_key_required' });
  if (!caller.origins.has(new URL(body.return_url).origin)) return reply.code(403).send({ code: 'origin_not_allowed' });

  const now = Date.now();
  const id = now.toString(16).padStart(12, '0') + randomBytes(6).toString('hex');
  const secret = `gsec_${id}_${randomBytes(16).toString('hex')}`;
  const expiresAt = now + 86_400_000;
  const session = {
    ...{ id, object: 'gate_session', partner_id: caller.id, mode: caller.mode, status: 'open', metadata: {}, ...body },
    created_at: new Date(now).toISOString(),
    expires_at: new Date(expiresAt).toISOString(),
  };
  const event = { id: randomUUID(), type: 'gate_session.created', sequence: 1, livemode: false, data: session };
  const answer = JSON.stringify({ ...session, client_secret: secret });
  const fingerprint = hash('sha256', JSON.stringify(body));

  database.exec('begin immediate');
  try {
    const [earlier] = findKey.all(caller.id, caller.mode, key);
    if (earlier !== undefined) {
      database.exec('commit');
      if (earlier.fingerprint !== fingerprint) return reply.code(422).send({ code: 'idempotency_key_mismatch' });
      return reply.code(201).type('application/json; charset=utf-8').send(earlier.reply);
    }
    putKey.run(caller.id, caller.mode, key, fingerprint, answer, expiresAt);
    putSession.run(caller.id, caller.mode, id, 'open', JSON.stringify(session), hash('sha256', secret));
    putEvent.run(event.id, id, JSON.stringify(event));
    putDelivery.run(randomBytes(12).toString('hex'), event.id, now);
    database.exec('commit');
  } catch (error) {
    database.exec('rollback');
    throw error;
  }
  return reply.code(201).type('application/json; charset=utf-8').send(answer);
});

await app.listen({ port: 0, host: '127.0.0.1' });
process.send({ port: app.server.address().port });
