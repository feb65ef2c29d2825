import assert from 'node:assert/strict';
import {
  type Answer,
  create,
  CREATE_BODY,
  expectRefusal,
  expectStatus,
  failedFields,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  retrieve,
  SECRET,
  textOf,
} from '../kit.js';

const TOPIC = 'HTTP: the create body as bytes';

function sendRaw(
  world: HttpWorld,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  return world.send('POST', '/v1/gate_sessions', { key: SECRET, idempotencyKey: freshKey(), body, headers });
}

/** The create body with additional members as JSON text. */
function raw(members: string): string {
  return `${JSON.stringify(CREATE_BODY).slice(0, -1)},${members}}`;
}

const METADATA = [
  '{}',
  '{ }',
  '{"b":1.0,"a":12345678901234567890,"10":1e2,"9":-0.0}',
  '{"z":[1,{"y":null,"x":"\\u00e9\\/é"}],\n\t"a" : true}',
  '{"a":1,"a":2}',
  '{"__proto__":{"a":1},"constructor":null}',
];

const UNKNOWN = [
  'id',
  'status',
  'client_secret',
  'clientSecret',
  'Amount',
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'prototype',
  '',
  ' amount',
];

/** Each is the inside of a JSON string. */
const BAD_TEXT = ['\\u0000', 'a\\u0000b', '\\ud800', '\\udc00', '\\udc00\\ud800', 'x\\ud83dy'];

const TEXT_FIELDS = [
  'amount',
  'currency',
  'return_url',
  'cancel_url',
  'target_token',
  'target_network',
  'flow',
  'wallet_address',
  'user_reference',
];

const MALFORMED = [
  '{',
  '}',
  '{"amount":',
  '{amount:"1"}',
  "{'amount':'1'}",
  '{"amount":"1",}',
  '[1,]',
  'undefined',
  'NaN',
  '{"a":1}{"b":2}',
  '{"a":01}',
  '"\u0001"',
  '\u00a0{}',
  '\ufeff\ufeff{}',
  '{"a":"\n"}',
  '\\u007b\\u007d',
];

const NOT_OBJECTS = ['[]', '[{"amount":"1"}]', '"text"', '5', 'true', 'null'];

const JSON_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'APPLICATION/JSON',
  ' application/json ; charset=utf-8',
];

const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'application/json5',
  'text/json',
  'json',
  '*/*',
];

/** Nested objects: the body itself, its metadata, and the objects within. */
const nested = (depth: number) => raw(`"metadata":${'{"a":'.repeat(depth - 2)}{}${'}'.repeat(depth - 2)}`);

export const bodyLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'metadata comes back verbatim: key order, numbers, repeated keys and space as they were written',
    async (world) => {
      for (const metadata of METADATA) {
        const created = expectStatus(await sendRaw(world, raw(`"metadata":${metadata}`)), 201);
        const id = textOf(created.json, 'id');
        const list = await world.send('GET', '/v1/gate_sessions?limit=1', { key: SECRET });
        for (const answer of [created, await retrieve(world, id), list]) {
          assert.ok(answer.text.includes(`"metadata":${metadata}`), answer.text);
        }
      }
    },
  ),
  httpLaw(TOPIC, 'errors and messages name each failed field once, and at most 20 fields', async (world) => {
    const strange = Object.fromEntries(Array.from({ length: 50 }, (_, nth) => [`strange_${nth}`, nth]));
    const unknown = await sendRaw(world, JSON.stringify({ ...CREATE_BODY, ...strange }));
    expectRefusal(unknown, 400, 'unknown_field');
    assert.deepEqual(
      [unknown.json['errors'], unknown.json['message']].map((list) => Array.isArray(list) && list.length),
      [20, 20],
    );
    const mixed = await sendRaw(world, JSON.stringify({ ...CREATE_BODY, ...strange, amount: '0' }));
    expectRefusal(mixed, 400, 'validation_failed');
    assert.ok(failedFields(mixed).includes('amount'));
    const parameters = ['limit=0', 'limit=1000', ...Object.keys(strange)].join('&');
    const query = await world.send('GET', `/v1/gate_sessions?${parameters}`, { key: SECRET });
    expectRefusal(query, 400, 'validation_failed');
    assert.equal(failedFields(query).length, 20);
  }),
  httpLaw(TOPIC, 'metadata is {} when it was not given', async (world) => {
    for (const body of [{}, { metadata: null }])
      assert.deepEqual(expectStatus(await create(world, body), 201).json['metadata'], {});
  }),
  httpLaw(TOPIC, 'metadata may have 16 KiB and not one byte more', async (world) => {
    for (const filler of ['x', '\u00e9']) {
      const room = 16_384 - '{"a":""}'.length;
      const full = filler.repeat(room / Buffer.byteLength(filler));
      expectStatus(await sendRaw(world, raw(`"metadata":{"a":"${full}"}`)), 201);
      const over = await sendRaw(world, raw(`"metadata":{"a":"${full}x"}`));
      expectRefusal(over, 400, 'validation_failed');
      assert.deepEqual(failedFields(over), ['metadata']);
    }
  }),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 400 unknown_field to an unknown field, and names it',
    async (world) => {
      for (const name of UNKNOWN) {
        const answer = await sendRaw(world, raw(`${JSON.stringify(name)}:{}`));
        expectRefusal(answer, 400, 'unknown_field');
        assert.deepEqual(failedFields(answer), [name]);
      }
    },
  ),
  httpLaw(TOPIC, 'of a repeated field the last one counts', async (world) => {
    const answer = expectStatus(
      await sendRaw(world, raw('"amount":"7.00","\\u0061mount":"8.00","metadata":{"a":1},"metadata":{"b":2}')),
      201,
    );
    assert.equal(answer.json['amount'], '8.00');
    assert.deepEqual(answer.json['metadata'], { b: 2 });
  }),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 400 validation_failed to NUL and lone surrogates anywhere',
    async (world) => {
      for (const bad of BAD_TEXT) {
        const places = [
          ...TEXT_FIELDS.map((field) => `"${field}":"${bad}"`),
          `"metadata":{"a":[{"b":"${bad}"}]}`,
          `"metadata":{"${bad}":1}`,
          `"kyc_package":{"provider":"${bad}"}`,
          `"kyc_package":{"provider":"x","${bad}":{}}`,
          `"${bad}":1`,
        ];
        for (const place of places) expectRefusal(await sendRaw(world, raw(place)), 400, 'validation_failed');
      }
    },
  ),
  httpLaw(TOPIC, 'a surrogate pair written as escapes is one character', async (world) => {
    const answer = expectStatus(await sendRaw(world, raw('"user_reference":"\\ud83d\\ude00"')), 201);
    assert.equal(answer.json['user_reference'], '\u{1f600}');
  }),
  httpLaw(TOPIC, 'POST /v1/gate_sessions answers 400 malformed_json to what is not JSON', async (world) => {
    for (const body of MALFORMED) expectRefusal(await sendRaw(world, body), 400, 'malformed_json');
  }),
  httpLaw(TOPIC, 'POST /v1/gate_sessions answers 400 malformed_json to invalid UTF-8', async (world) => {
    for (const bytes of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]]) {
      const body = Buffer.concat([Buffer.from('{"user_reference":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expectRefusal(await sendRaw(world, body), 400, 'malformed_json');
    }
  }),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 400 validation_failed to JSON that is not an object',
    async (world) => {
      for (const body of NOT_OBJECTS) expectRefusal(await sendRaw(world, body), 400, 'validation_failed');
    },
  ),
  httpLaw(TOPIC, 'POST /v1/gate_sessions names every required field when there is no body', async (world) => {
    const answer = await world.send('POST', '/v1/gate_sessions', { key: SECRET, idempotencyKey: freshKey() });
    expectRefusal(answer, 400, 'validation_failed');
    assert.deepEqual(failedFields(answer), ['amount', 'currency', 'return_url']);
  }),
  httpLaw(
    TOPIC,
    'a body may have 64 KiB; POST /v1/gate_sessions answers 413 body_too_large to one byte more',
    async (world) => {
      const body = JSON.stringify(CREATE_BODY);
      const padded = body + ' '.repeat(65_536 - body.length);
      expectStatus(await sendRaw(world, padded), 201);
      expectRefusal(await sendRaw(world, `${padded} `), 413, 'body_too_large');
      expectRefusal(await sendRaw(world, 'x'.repeat(1_000_000)), 413, 'body_too_large');
    },
  ),
  httpLaw(
    TOPIC,
    'a body may be nested 32 levels deep; POST /v1/gate_sessions answers 400 to one more',
    async (world) => {
      expectStatus(await sendRaw(world, nested(32)), 201);
      expectRefusal(await sendRaw(world, nested(33)), 400, 'validation_failed');
      expectRefusal(await sendRaw(world, '['.repeat(30_000)), 400, 'malformed_json');
      expectRefusal(await sendRaw(world, `${'['.repeat(30_000)}${']'.repeat(30_000)}`), 400, 'validation_failed');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 415 unsupported_media_type to a body that is not application/json',
    async (world) => {
      const body = JSON.stringify(CREATE_BODY);
      for (const type of JSON_TYPES) expectStatus(await sendRaw(world, body, { 'content-type': type }), 201);
      for (const type of OTHER_TYPES)
        expectRefusal(await sendRaw(world, body, { 'content-type': type }), 415, 'unsupported_media_type');
    },
  ),
];
