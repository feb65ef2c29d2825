import { createHash, randomBytes } from 'node:crypto';
import {
  admit,
  createTestGate,
  TEST_KEYS,
  TEST_WEBHOOK_SECRET,
  TEST_WEBHOOK_URL,
  type TestGate,
} from '@gateramp/testing';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { postgresStore } from './patient-store.js';
import { freshSchema, testPool } from './postgres-subject.js';

const CREATES = 2_000;
const PURCHASES = 60;

/** The one-time code that the sandbox accepts. */
const CODE = '000000';

let pool: pg.Pool;
let schema: string;
beforeAll(async () => {
  pool = await testPool();
  schema = await freshSchema(pool);
});
afterAll(() => pool.end());

it('a dump of the whole database holds no secret, card, code or identity, in no spelling', async () => {
  const t = await createTestGate({ ports: { store: postgresStore(pool, { schema }) } });
  await admit(t.gate, t.partner);
  const secrets = new Set<string>([
    TEST_WEBHOOK_SECRET,
    ...Object.values(TEST_KEYS).flatMap((keys) => Object.values(keys)),
  ]);
  // Deliveries are created with the purchases; thousands of them would only take time here.
  const scope = { partnerId: t.partner.id, mode: 'test' } as const;
  await t.gate.admin.setEndpoint(scope, { url: null, secret: null });
  for (let batch = 0; batch < CREATES; batch += 100) {
    const made = await Promise.all(
      Array.from({ length: 100 }, (_, n) => create(t, `key-${batch + n}-${unique()}`, secrets)),
    );
    made.forEach((secret) => secrets.add(secret));
  }
  await t.gate.admin.setEndpoint(scope, { url: TEST_WEBHOOK_URL, secret: null });
  for (let n = 0; n < PURCHASES; n += 1) await purchase(t, n % 3 === 0 ? unique().slice(0, 20) : CODE, secrets);
  await t.clock.advance('2m');

  const dump = await dumpOf(schema);
  expect(dump.length).toBeGreaterThan(1_000_000);
  expect(dump).toContain('gate_session.completed');
  expect(foundIn(dump, [...secrets])).toEqual([]);
  // The search finds text that is present: an id of the partner, and the hash of a secret.
  const [oneSecret = ''] = [...secrets].filter((secret) => secret.startsWith('gsec_'));
  const present = [t.partner.id, createHash('sha256').update(oneSecret).digest('hex')];
  expect(foundIn(dump, present)).toEqual(present);
});

/** A session with a verified identity, whose data must not be stored here. Returns its client secret. */
async function create(t: TestGate, idempotencyKey: string, secrets: Set<string>): Promise<string> {
  const identity = unique();
  secrets.add(identity).add(idempotencyKey);
  const send = () =>
    t.request('POST', '/v1/gate_sessions', {
      key: TEST_KEYS.secret.test,
      idempotencyKey,
      body: {
        amount: '14.50',
        currency: 'EUR',
        return_url: 'https://shop.example/done',
        kyc_package: { provider: 'acme-kyc', document: identity },
      },
    });
  let answer = await send();
  // A busy machine may answer 503 to a hundred concurrent requests; clients repeat with their key.
  for (let again = 0; answer.status === 503 && again < 5; again += 1) answer = await send();
  expect(answer.status, answer.text).toBe(201);
  return String(answer.json['client_secret']);
}

/** A card, a name, a document and a code are sent for a session that completes with the right code and fails with any other. */
async function purchase(t: TestGate, code: string, secrets: Set<string>): Promise<void> {
  const session = await t.createSession({ amount: '14.50' });
  secrets.add(session.client_secret);
  const headers = { 'x-embed-token': await t.embed(session) };
  const intents = '/v1/embed/intents';
  const attempt = {
    flow: 'on_ramp',
    amount: '14.50',
    currency: 'EUR',
    payment_method: 'card',
    wallet_address: `0x${randomBytes(20).toString('hex')}`,
    payment_details: { card_number: '4000000000003220', expiry: '12/34', cvc: '987' },
  };
  const begun = await t.request('POST', intents, { headers, body: attempt });
  expect(begun.status).toBe(201);
  const confirm = `${intents}/${String(begun.json['id'])}/confirm`;
  const kyc = { first_name: unique(), last_name: unique(), date_of_birth: '1990-01-31', document_number: unique() };
  [kyc.first_name, kyc.last_name, kyc.document_number, attempt.payment_details.card_number].forEach((text) =>
    secrets.add(text),
  );
  await t.request('POST', confirm, { headers, body: { action: 'kyc', kyc } });
  // Six digits occur in many numbers; only as a complete text would they be the code.
  secrets.add(code === CODE ? `:"${code}"` : code);
  const answer = await t.request('POST', confirm, { headers, body: { action: 'payment_authentication', code } });
  expect([answer.status, answer.json['status']]).toEqual([200, code === CODE ? 'processing' : 'failed']);
}

/** Every row of every table as text, as in a stolen dump. */
async function dumpOf(name: string): Promise<string> {
  const { rows } = await pool.query<{ name: string }>('select tablename as name from pg_tables where schemaname = $1', [
    name,
  ]);
  const tables: string[] = [];
  for (const table of rows) {
    const all = await pool.query<{ text: string }>(`select t::text as text from "${name}"."${table.name}" t`);
    tables.push(...all.rows.map((row) => row.text));
  }
  return tables.join('\n');
}

const WINDOW = 9;

/** The secrets that the text contains in any encoding; scans the text once, whatever their number. */
function foundIn(text: string, secrets: readonly string[]): readonly string[] {
  const byBeginning = new Map<string, { readonly secret: string; readonly spelling: string }[]>();
  for (const secret of secrets) {
    for (const spelling of spellings(secret)) {
      const beginning = spelling.slice(0, WINDOW);
      byBeginning.set(beginning, [...(byBeginning.get(beginning) ?? []), { secret, spelling }]);
    }
  }
  const found = new Set<string>();
  for (let at = 0; at + WINDOW <= text.length; at += 1) {
    for (const { secret, spelling } of byBeginning.get(text.slice(at, at + WINDOW)) ?? []) {
      if (text.startsWith(spelling, at)) found.add(secret);
    }
  }
  return secrets.filter((secret) => found.has(secret));
}

/** Raw, hex, and base64 at each of the three byte offsets. */
function spellings(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((shift) => {
    const shifted = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    // The first and last characters contain bits of the neighbours.
    return shifted.slice(shift === 0 ? 0 : 4, -2);
  });
  return [secret, bytes.toString('hex'), ...base64];
}

function unique(): string {
  return `id${randomBytes(12).toString('hex')}`;
}
