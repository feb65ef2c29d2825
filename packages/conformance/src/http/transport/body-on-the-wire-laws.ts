import assert from 'node:assert/strict';
import { BODY_BYTES_MAX } from '@gateramp/core/http';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus, readAnswer } from '../answer.js';
import { CREATE_BODY, freshKey, SECRET } from '../calls.js';
import { bodyOf } from './body-laws.js';
import { socketLaw } from './in-server.js';
import { head } from './raw-connection.js';
import type { SocketSubject } from './socket-subject.js';

const TOPIC = 'HTTP transport: bodies on the wire';
const LIMIT = BODY_BYTES_MAX;

export const bodyOnTheWireLaws: readonly Law<SocketSubject>[] = [
  socketLaw(
    TOPIC,
    'accepts a chunked body of exactly the limit, and answers 413 to one byte more',
    async ({ connect }) => {
      const connection = await connect();
      connection.write(post(CHUNKED), ...chunksOf(bodyOf(LIMIT)));
      expectStatus(readAnswer(await connection.read()), 201);
      connection.write(post(CHUNKED), ...chunksOf(bodyOf(LIMIT + 1)));
      expectRefusal(readAnswer(await connection.read()), 413, 'body_too_large');
    },
  ),
  socketLaw(TOPIC, 'reads a body that comes a byte at a time', async ({ connect }) => {
    const connection = await connect();
    const body = Buffer.from(JSON.stringify({ ...CREATE_BODY, metadata: { note: '€' } }));
    connection.write(
      post(CHUNKED),
      ...Array.from(body, (_, at) => chunk(body.subarray(at, at + 1))).flat(),
      '0\r\n\r\n',
    );
    assert.deepEqual(expectStatus(readAnswer(await connection.read()), 201).json['metadata'], { note: '€' });
  }),
  socketLaw(TOPIC, 'answers 413 to a body announced too large, though it never comes', async ({ connect }) => {
    const connection = await connect();
    connection.write(post(`Content-Length: ${LIMIT + 1}`), '{"amount":');
    expectRefusal(readAnswer(await connection.read()), 413, 'body_too_large');
  }),
  socketLaw(
    TOPIC,
    'answers 413 to a chunked body that has grown too large, though it never ends',
    async ({ connect }) => {
      const connection = await connect();
      connection.write(post(CHUNKED), ...chunk(Buffer.alloc(LIMIT + 1, ' ')));
      expectRefusal(readAnswer(await connection.read()), 413, 'body_too_large');
    },
  ),
  socketLaw(TOPIC, 'serves the next request of a connection whose body was too large', async ({ connect }) => {
    const connection = await connect();
    for (const framing of [`Content-Length: ${3 * LIMIT}`, CHUNKED]) {
      const body = bodyOf(3 * LIMIT);
      connection.write(post(framing), ...(framing === CHUNKED ? chunksOf(body) : [body]), head('GET', '/health'));
      expectRefusal(readAnswer(await connection.read()), 413, 'body_too_large');
      expectStatus(readAnswer(await connection.read()), 200);
    }
  }),
  socketLaw(TOPIC, 'states a length in bytes, not in characters', async ({ connect }) => {
    const connection = await connect();
    const body = JSON.stringify({ ...CREATE_BODY, user_reference: 'Zoë 🎈' });
    connection.write(post(`Content-Length: ${Buffer.byteLength(body)}`), body, head('GET', '/health'));
    assert.equal(expectStatus(readAnswer(await connection.read()), 201).json['user_reference'], 'Zoë 🎈');
    expectStatus(readAnswer(await connection.read()), 200);
    assert.equal(connection.rest, '');
  }),
  socketLaw(TOPIC, 'takes a body with a GET as the contract takes it', async ({ connect }) => {
    const connection = await connect();
    const get = (body: string) => head('GET', '/health', [JSON_TYPE, `Content-Length: ${body.length}`]) + body;
    connection.write(get('{}'), get('{"colour":"red"}'), get('{'), get(bodyOf(LIMIT + 1)));
    expectStatus(readAnswer(await connection.read()), 200);
    expectRefusal(readAnswer(await connection.read()), 400, 'unknown_field');
    expectRefusal(readAnswer(await connection.read()), 400, 'malformed_json');
    expectRefusal(readAnswer(await connection.read()), 413, 'body_too_large');
  }),
];

const CHUNKED = 'Transfer-Encoding: chunked';
const JSON_TYPE = 'Content-Type: application/json';

function post(framing: string): string {
  return head('POST', '/v1/gate_sessions', [
    `Authorization: Bearer ${SECRET}`,
    `Idempotency-Key: ${freshKey()}`,
    JSON_TYPE,
    framing,
  ]);
}

function chunk(bytes: Uint8Array): readonly (string | Uint8Array)[] {
  return [`${bytes.byteLength.toString(16)}\r\n`, bytes, '\r\n'];
}

/** The body in chunks of irregular sizes, and its end. */
function chunksOf(body: string): readonly (string | Uint8Array)[] {
  const bytes = Buffer.from(body);
  const parts: (string | Uint8Array)[] = [];
  for (let at = 0; at < bytes.byteLength; at += 9_973) parts.push(...chunk(bytes.subarray(at, at + 9_973)));
  return [...parts, '0\r\n\r\n'];
}
