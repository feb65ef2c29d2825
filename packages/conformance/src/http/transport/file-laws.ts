import assert from 'node:assert/strict';
import { DOCUMENT_AMOUNTS } from '@gateramp/adapters-provider-sandbox';
import { DOCUMENT_BYTES_MAX } from '@gateramp/core/domain';
import { BODY_BYTES_MAX } from '@gateramp/core/http';
import type { TestGate } from '@gateramp/testing';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus, membersOf, readAnswer } from '../answer.js';
import { INTENT_BODY, PICTURE } from '../calls.js';
import { socketLaw } from './in-server.js';
import { head } from './raw-connection.js';
import type { SocketSubject } from './socket-subject.js';

const TOPIC = 'HTTP transport: files';

export const fileLaws: readonly Law<SocketSubject>[] = [
  socketLaw(TOPIC, 'takes a file that is larger than any other body, in chunks or at once', async ({ t, connect }) => {
    const to = await documentPath(t);
    const connection = await connect();
    const file = pictureOf(4 * BODY_BYTES_MAX);
    connection.write(post(to, 'front', `Content-Length: ${file.byteLength}`), file);
    expectStatus(readAnswer(await connection.read()), 200);
    const half = file.byteLength / 2;
    connection.write(post(to, 'back', 'Transfer-Encoding: chunked'));
    for (const part of [file.subarray(0, half), file.subarray(half)])
      connection.write(`${part.byteLength.toString(16)}\r\n`, part, '\r\n');
    connection.write('0\r\n\r\n');
    const { json } = expectStatus(readAnswer(await connection.read()), 200);
    assert.deepEqual(membersOf(json['next_action'])['received'], ['front', 'back']);
  }),
  socketLaw(
    TOPIC,
    'answers a sender without a valid token, a wrong type and a side that is not asked for before the file comes',
    async (world) => {
      const to = await documentPath(world.t);
      for (const [faulty, status, code] of [
        [post({ ...to, token: 'no token' }, 'front', ANNOUNCED), 401, 'invalid_embed_token'],
        [post(to, 'front', ANNOUNCED, 'image/gif'), 415, 'unsupported_media_type'],
        [post(to, 'front', `${ANNOUNCED}\r\nContent-Encoding: gzip`), 415, 'unsupported_media_type'],
        [post(to, 'spine', ANNOUNCED), 400, 'validation_failed'],
        [
          post({ ...to, path: `/v1/embed/intents/${'0'.repeat(24)}/documents` }, 'front', ANNOUNCED),
          404,
          'intent_not_found',
        ],
        [post(to, 'front', `Content-Length: ${DOCUMENT_BYTES_MAX + 1}`), 413, 'body_too_large'],
      ] as const) {
        const connection = await world.connect();
        connection.write(faulty);
        expectRefusal(readAnswer(await connection.read()), status, code);
      }
    },
  ),
  socketLaw(TOPIC, 'serves the next request of a connection whose file was refused', async ({ t, connect }) => {
    const to = await documentPath(t);
    const connection = await connect();
    const file = pictureOf(BODY_BYTES_MAX);
    const length = `Content-Length: ${file.byteLength}`;
    connection.write(post({ ...to, token: 'no token' }, 'front', length), file, head('GET', '/health'));
    expectRefusal(readAnswer(await connection.read()), 401, 'invalid_embed_token');
    expectStatus(readAnswer(await connection.read()), 200);
  }),
  socketLaw(TOPIC, 'a sender of a refused file that closes its connection has its answer', async ({ t, connect }) => {
    const to = await documentPath(t);
    const connection = await connect();
    const file = pictureOf(4 * BODY_BYTES_MAX);
    const framing = `Content-Length: ${file.byteLength}\r\nConnection: close`;
    connection.write(post({ ...to, token: 'no token' }, 'front', framing), file);
    expectRefusal(readAnswer(await connection.read()), 401, 'invalid_embed_token');
  }),
  socketLaw(TOPIC, 'a sender that leaves before the end of its file is no failure', async ({ t, connect }) => {
    const to = await documentPath(t);
    const leaving = await connect();
    leaving.write(post(to, 'front', ANNOUNCED), PICTURE.body);
    const staying = await connect();
    staying.write(post(to, 'back', `Content-Length: ${PICTURE.body.byteLength}`), PICTURE.body);
    leaving.leave();
    const { json } = expectStatus(readAnswer(await staying.read()), 200);
    assert.deepEqual(membersOf(json['next_action'])['received'], ['back']);
    assert.deepEqual(t.telemetry.failures, []);
  }),
];

const ANNOUNCED = `Content-Length: ${DOCUMENT_BYTES_MAX}`;

interface Destination {
  readonly path: string;
  readonly token: string;
}

/** The upload path of an attempt that waits for documents. */
async function documentPath(t: TestGate): Promise<Destination> {
  const amount = DOCUMENT_AMOUNTS.from;
  const token = await t.embed(await t.createSession({ amount }));
  const begun = await t.request('POST', '/v1/embed/intents', {
    headers: { 'x-embed-token': token },
    body: { ...INTENT_BODY, amount },
  });
  return { path: `/v1/embed/intents/${String(begun.json['id'])}/documents`, token };
}

function post({ path, token }: Destination, side: string, framing: string, type = 'image/png'): string {
  return head('POST', `${path}/${side}`, [`X-Embed-Token: ${token}`, `Content-Type: ${type}`, framing]);
}

function pictureOf(size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  bytes.set(PICTURE.body);
  return bytes;
}
