import assert from 'node:assert/strict';
import {
  type Answer,
  cancel,
  create,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  type Members,
  open,
  retrieve,
  SECRET,
  SHOP,
  simulate,
  textOf,
} from '../kit.js';
import { OBJECT_ID, REFID, TIME } from './patterns.js';

const TOPIC = 'HTTP: the shape of sessions, lists and errors';

const FULL = {
  amount: '0100.50',
  currency: 'usd',
  return_url: `${SHOP}/done?a=1`,
  cancel_url: `${SHOP}/cancel`,
  target_token: 'usdc',
  target_network: 'Base',
  flow: 'on_ramp',
  wallet_address: '0xAbC',
  user_reference: 'user-1',
  metadata: { order: 7 },
} as const;

/** The common part of the answers of every read of a session. */
async function reads(world: HttpWorld, id: string): Promise<readonly Members[]> {
  const list = await world.send('GET', '/v1/gate_sessions', { key: SECRET });
  return [(await retrieve(world, id)).json, ...itemsOf(list), (await cancel(world, id)).json];
}

const ERRORS: readonly { readonly name: string; readonly ask: (world: HttpWorld) => Promise<Answer> }[] = [
  { name: 'a refusal with one reason has a text for its message and no errors', ask: (world) => retrieve(world, 'x') },
  {
    name: 'a refusal of one field has a text for its message and names it in errors',
    ask: (world) => create(world, { amount: '0' }),
  },
  {
    name: 'a refusal of several fields has an array for its message and one entry each in errors',
    ask: (world) => create(world, { amount: '0', flow: 'x' }),
  },
];

const errors: readonly Law<HttpSubject>[] = ERRORS.map(({ name, ask }, count) =>
  httpLaw(TOPIC, name, async (world) => {
    // Every envelope is checked when an answer is read; this law concerns only the number of entries.
    const { json } = await ask(world);
    const { message, errors: fields } = json;
    assert.equal(Array.isArray(message), count === 2);
    assert.equal(Array.isArray(fields) ? fields.length : 0, count);
  }),
);

export const sessionShapes: readonly Law<HttpSubject>[] = [
  ...errors,
  httpLaw(TOPIC, 'the create answer is the GateSession plus client_secret, and nothing else', async (world) => {
    const session = await open(world, FULL);
    const id = textOf(session, 'id');
    assert.match(id, OBJECT_ID);
    assert.match(textOf(session, 'client_secret'), new RegExp(`^gsec_${id}_[0-9A-Za-z]{32}$`));
  }),
  httpLaw(TOPIC, 'retrieve, list and cancel answer the GateSession and never its client_secret', async (world) => {
    const session = await open(world, FULL);
    const { client_secret: secret, ...expected } = session;
    const [retrieved, listed, cancelled] = await reads(world, textOf(session, 'id'));
    assert.deepEqual(retrieved, expected);
    assert.deepEqual(listed, expected);
    assert.deepEqual(cancelled, { ...expected, status: 'cancelled' });
    assert.equal(JSON.stringify([retrieved, listed, cancelled]).includes(String(secret)), false);
  }),
  httpLaw(
    TOPIC,
    'a GateSession echoes what was given: amounts and texts verbatim, the currency in upper case',
    async (world) => {
      const session = await open(world, FULL);
      for (const [field, given] of Object.entries(FULL))
        assert.deepEqual(session[field], field === 'currency' ? 'USD' : given);
    },
  ),
  httpLaw(TOPIC, 'a GateSession has null for what was not given, and omits nothing', async (world) => {
    const session = await open(world);
    for (const field of ['flow', 'target_token', 'target_network', 'cancel_url', 'wallet_address', 'user_reference'])
      assert.equal(session[field], null);
    assert.deepEqual([session['kyc_pre_verified'], session['metadata']], [false, {}]);
  }),
  httpLaw(
    TOPIC,
    'a GateSession says what, whose and when: object, partner, mode of the key, 24 hours from creation',
    async (world) => {
      for (const mode of ['test', 'live'] as const) {
        const session = await open(world, {}, { mode });
        assert.deepEqual(
          [session['object'], session['partner_id'], session['mode'], session['status']],
          ['gate_session', world.t.partner.id, mode, 'open'],
        );
        const [createdAt, expiresAt] = [textOf(session, 'created_at'), textOf(session, 'expires_at')];
        assert.match(createdAt, TIME);
        assert.match(expiresAt, TIME);
        assert.equal(Date.parse(createdAt), world.t.clock.now(mode));
        assert.equal(Date.parse(expiresAt) - Date.parse(createdAt), 24 * 60 * 60 * 1000);
      }
    },
  ),
  httpLaw(
    TOPIC,
    'a completed session is found by its transaction: the event carries tx_refid and the transaction the session',
    async (world) => {
      const id = textOf(await open(world), 'id');
      expectStatus(await simulate(world, id, 'succeed'), 200);
      await world.t.clock.advance('1m');
      const event = world.t.deliveries().find((one) => one.type === 'gate_session.completed');
      assert.ok(event !== undefined);
      const refid = textOf(event.data, 'tx_refid');
      assert.match(refid, REFID);
      const found = expectStatus(await world.send('GET', `/v1/transactions/${refid}`, { key: SECRET }), 200).json;
      assert.equal(found['session_id'], id);
    },
  ),
  httpLaw(TOPIC, 'a list is an envelope of object, data, has_more and url, also when it is empty', async (world) => {
    for (const path of ['/v1/gate_sessions', '/v1/transactions']) {
      const { json } = expectStatus(await world.send('GET', `${path}?limit=5`, { key: SECRET }), 200);
      assert.deepEqual(json, { object: 'list', data: [], has_more: false, url: path });
    }
  }),
  httpLaw(TOPIC, 'every answer has a request id of its own', async (world) => {
    const seen = new Set<string>();
    for (let each = 0; each < 5; each += 1) {
      for (const path of ['/health', '/nowhere'])
        seen.add((await world.send('GET', path)).headers['x-request-id'] ?? '');
    }
    assert.equal(seen.size, 10);
  }),
  httpLaw(TOPIC, 'no cache may keep an answer that holds sessions, secrets or money', async (world) => {
    const answers = [
      await create(world),
      await retrieve(world, 'x'),
      await world.send('GET', '/v1/transactions', { key: SECRET }),
    ];
    for (const answer of answers) assert.equal(answer.headers['cache-control'], 'no-store');
  }),
];
