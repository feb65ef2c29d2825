import assert from 'node:assert/strict';
import { create, expectRefusal, expectStatus, failedFields, httpLaw, type HttpSubject, type Law } from '../kit.js';

const TOPIC = 'HTTP: return_url and cancel_url';

const FIELDS = ['return_url', 'cancel_url'] as const;

const ALLOWED = {
  partner: {
    allowedOrigins: ['https://shop.example', 'http://localhost:3000', 'http://127.0.0.1:8080', 'http://[::1]:3000'],
  },
};

const GOOD = [
  'https://shop.example',
  'https://shop.example/done',
  'https://shop.example:443/done',
  'https://SHOP.example/done?order=1&x=%20#top',
  'HTTPS://shop.example/',
  `https://shop.example/${'x'.repeat(2048 - 'https://shop.example/'.length)}`,
];

const LOOPBACK = ['http://localhost:3000/done', 'http://127.0.0.1:8080/', 'http://[::1]:3000/done'];

/** Not an absolute https URL that all browsers parse alike. */
const BAD = [
  '',
  ' ',
  '/done',
  'done',
  'shop.example/done',
  '//shop.example/done',
  'https://',
  'https://[',
  'https:shop.example/done',
  'https:/shop.example/done',
  'https:///shop.example/done',
  'https:\\\\shop.example/done',
  'https://shop.example\\@evil.example/',
  'http://shop.example/done',
  'http://192.168.0.1/',
  'http://localhost.evil.example/',
  'ftp://shop.example/',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://shop.example/1',
  'shop://done',
  'about:blank',
  'https://user:password@shop.example/',
  'https://user@shop.example/',
  ' https://shop.example/',
  'https://shop.example/ ',
  'https://shop.example/\n',
  'https://shop.example/a b',
  'ht\ttps://shop.example/',
  `https://shop.example/${'x'.repeat(2049 - 'https://shop.example/'.length)}`,
];

const UNLISTED = [
  'https://other.example/done',
  'https://sub.shop.example/',
  'https://shop.example:8443/',
  'https://shop.example.evil.example/',
  'https://shop.example./',
  'http://localhost:3001/',
  'http://localhost/',
  'http://127.0.0.2:8080/',
];

export const urlLaws: readonly Law<HttpSubject>[] = FIELDS.flatMap((field) => [
  httpLaw(
    TOPIC,
    `POST /v1/gate_sessions answers 201 when ${field} is https and its origin is allowed, and echoes it verbatim`,
    async (world) => {
      for (const url of GOOD) {
        assert.equal(expectStatus(await create(world, { [field]: url }), 201).json[field], url);
        assert.equal(expectStatus(await create(world, { [field]: url }, { mode: 'live' }), 201).json[field], url);
      }
    },
  ),
  httpLaw(
    TOPIC,
    `POST /v1/gate_sessions answers 400 validation_failed when ${field} is not an absolute https URL without credentials`,
    async (world) => {
      for (const url of [...BAD, 5, true, [], {}]) {
        const answer = await create(world, { [field]: url });
        expectRefusal(answer, 400, 'validation_failed');
        assert.deepEqual(failedFields(answer), [field], JSON.stringify(url));
      }
    },
  ),
  httpLaw(
    TOPIC,
    `POST /v1/gate_sessions answers 403 origin_not_allowed when the origin of ${field} is not exactly one of the allowed ones`,
    async (world) => {
      for (const url of UNLISTED) {
        const answer = await create(world, { [field]: url });
        expectRefusal(answer, 403, 'origin_not_allowed');
        assert.match(String(answer.json['message']), new RegExp(field));
      }
    },
    ALLOWED,
  ),
  httpLaw(
    TOPIC,
    `POST /v1/gate_sessions takes http on loopback as ${field} on the test host alone`,
    async (world) => {
      for (const url of LOOPBACK) {
        expectStatus(await create(world, { [field]: url }), 201);
        expectRefusal(await create(world, { [field]: url }, { mode: 'live' }), 400, 'validation_failed');
      }
    },
    ALLOWED,
  ),
  httpLaw(
    TOPIC,
    `POST /v1/gate_sessions answers 403 origin_not_allowed when ${field} is on a loopback that is not allowed`,
    async (world) => {
      for (const url of LOOPBACK) expectRefusal(await create(world, { [field]: url }), 403, 'origin_not_allowed');
    },
  ),
]);
