import { gzipSync } from 'node:zlib';
import assert from 'node:assert/strict';
import { BODY_BYTES_MAX } from '@gateramp/core/http';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus } from '../answer.js';
import { cancel, CREATE_BODY, freshKey, open, retrieve, SECRET } from '../calls.js';
import { httpLaw, type HttpWorld, type Sent } from '../world.js';
import type { HttpSubject } from '../subject.js';

const TOPIC = 'HTTP transport: bodies';

export const bodyLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'accepts a body of exactly the limit, and answers 413 to one byte more', async (world) => {
    expectStatus(await post(world, bodyOf(BODY_BYTES_MAX)), 201);
    expectRefusal(await post(world, bodyOf(BODY_BYTES_MAX + 1)), 413, 'body_too_large');
  }),
  httpLaw(TOPIC, 'answers 413 to a body of many times the limit, and serves the next request', async (world) => {
    expectRefusal(await post(world, bodyOf(40 * BODY_BYTES_MAX)), 413, 'body_too_large');
    expectStatus(await post(world, JSON.stringify(CREATE_BODY)), 201);
  }),
  httpLaw(
    TOPIC,
    'answers 415 unsupported_media_type to a compressed body, and names the header Content-Encoding',
    async (world) => {
      const text = JSON.stringify(CREATE_BODY);
      const zipped = gzipSync(text);
      const callbacks = '/v1/providers/sandbox/callbacks';
      for (const encoding of ['gzip', 'GZIP', 'br', 'deflate, gzip', 'identity, gzip', 'nonsense']) {
        const headers = { 'content-encoding': encoding };
        for (const answer of [
          await post(world, zipped, headers),
          await world.send('POST', callbacks, { body: zipped, headers }),
        ]) {
          expectRefusal(answer, 415, 'unsupported_media_type');
          assert.match(String(answer.json['message']), /Content-Encoding/, encoding);
        }
      }
      for (const encoding of ['identity', 'Identity'])
        expectStatus(await post(world, text, { 'content-encoding': encoding }), 201);
    },
  ),
  httpLaw(TOPIC, 'ignores a byte order mark before JSON, and only there', async (world) => {
    const text = JSON.stringify({ ...CREATE_BODY, metadata: { note: '\ufeffnote' } });
    const created = expectStatus(await post(world, `\ufeff${text}`), 201);
    assert.deepEqual(created.json['metadata'], { note: '\ufeffnote' });
    expectRefusal(await post(world, `\ufeff\ufeff${text}`), 400, 'malformed_json');
    expectRefusal(await post(world, `${text}\ufeff`), 400, 'malformed_json');
  }),
  httpLaw(TOPIC, 'answers 400 malformed_json to a body that is not UTF-8', async (world) => {
    const body = Buffer.concat([Buffer.from('{"amount":"1'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
    expectRefusal(await post(world, body), 400, 'malformed_json');
  }),
  httpLaw(TOPIC, 'reads text of several bytes a character as it was written', async (world) => {
    const metadata = { note: 'Zoë paid 5 € 🎈' };
    const created = await post(world, JSON.stringify({ ...CREATE_BODY, metadata }));
    assert.deepEqual(expectStatus(created, 201).json['metadata'], metadata);
    assert.deepEqual((await retrieve(world, String(created.json['id']))).json['metadata'], metadata);
  }),
  httpLaw(TOPIC, 'takes no body, an empty body and an empty object alike where none is needed', async (world) => {
    for (const sent of [{}, { headers: { 'content-type': 'application/json' } }, { body: '' }, { body: '{}' }]) {
      const { id } = await open(world);
      expectStatus(await cancel(world, String(id), sent), 200);
    }
  }),
  httpLaw(TOPIC, 'answers 400 validation_failed to an empty body where one is needed', async (world) => {
    expectRefusal(await post(world, ''), 400, 'validation_failed');
  }),
  httpLaw(
    TOPIC,
    'answers 415 unsupported_media_type whatever a content type other than JSON looks like',
    async (world) => {
      const types = [
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
        'nonsense',
        ';',
        'application/json, text/plain',
      ];
      for (const type of types) {
        expectRefusal(
          await post(world, JSON.stringify(CREATE_BODY), { 'content-type': type }),
          415,
          'unsupported_media_type',
        );
      }
    },
  ),
  httpLaw(TOPIC, 'accepts JSON with a charset parameter and in any case', async (world) => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/json;charset="UTF-8"']) {
      expectStatus(await post(world, JSON.stringify(CREATE_BODY), { 'content-type': type }), 201);
    }
  }),
];

function post(world: HttpWorld, body: Sent['body'], headers: Sent['headers'] = {}) {
  return world.send('POST', '/v1/gate_sessions', { key: SECRET, idempotencyKey: freshKey(), body, headers });
}

/** A create body of exactly this size, padded with white space. */
export function bodyOf(bytes: number): string {
  const body = JSON.stringify(CREATE_BODY);
  return body + ' '.repeat(bytes - body.length);
}
