import assert from 'node:assert/strict';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus, itemsOf } from '../answer.js';
import { CREATE_BODY, freshKey, open, retrieve, SECRET } from '../calls.js';
import { httpLaw } from '../world.js';
import type { HttpSubject } from '../subject.js';

const TOPIC = 'HTTP transport: headers';

/** Headers that frameworks and platforms often add. */
const COMMON_ADDITIONS = ['etag', 'x-powered-by', 'server', 'set-cookie', 'retry-after', 'last-modified'];

export const headerLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'reads header names in any case', async (world) => {
    const headers = { AUTHORIZATION: `Bearer ${SECRET}`, 'Idempotency-KEY': freshKey() };
    expectStatus(await world.send('POST', '/v1/gate_sessions', { headers, body: JSON.stringify(CREATE_BODY) }), 201);
  }),
  httpLaw(TOPIC, 'adds no header that the contract does not name', async (world) => {
    const answers = [
      await open(world).then(({ id }) => retrieve(world, String(id))),
      await world.send('GET', '/health'),
      await world.send('GET', '/nowhere'),
    ];
    for (const { headers } of answers)
      assert.deepEqual(
        COMMON_ADDITIONS.filter((name) => name in headers),
        [],
      );
  }),
  httpLaw(TOPIC, 'answers in full whatever a conditional or partial request asks for', async (world) => {
    const { id } = await open(world);
    const whole = await retrieve(world, String(id));
    for (const headers of [
      { 'if-none-match': '*' },
      { 'if-modified-since': new Date(0).toUTCString() },
      { range: 'bytes=0-0' },
    ]) {
      assert.equal(expectStatus(await retrieve(world, String(id), { headers }), 200).text, whole.text);
    }
  }),
  httpLaw(TOPIC, 'answers 417 expectation_failed to an Expect that cannot be met, and does nothing', async (world) => {
    const headers = { expect: 'a-discount' };
    const idempotencyKey = freshKey();
    const sent = { key: SECRET, idempotencyKey, body: CREATE_BODY };
    expectRefusal(await world.send('POST', '/v1/gate_sessions', { ...sent, headers }), 417, 'expectation_failed');
    expectRefusal(await world.send('GET', '/nowhere', { headers }), 417, 'expectation_failed');
    assert.deepEqual(itemsOf(await world.send('GET', '/v1/gate_sessions', { key: SECRET })), []);
    expectStatus(await world.send('POST', '/v1/gate_sessions', sent), 201);
  }),
  httpLaw(TOPIC, 'does not let a method be overridden by a header', async (world) => {
    const { id } = await open(world);
    const headers = { 'x-http-method-override': 'GET' };
    const answer = await world.send('POST', `/v1/gate_sessions/${String(id)}`, { key: SECRET, headers });
    expectRefusal(answer, 404, 'route_not_found');
  }),
];
