import assert from 'node:assert/strict';
import { TEST_KEYS } from '@gateramp/testing';
import {
  admitRival,
  cancel,
  create,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type Law,
  nameOf,
  open,
  retrieve,
  RIVAL_SECRET,
  type Route,
  routeOf,
  SECRET,
  simulate,
  textOf,
} from '../kit.js';
import { closeSession, CLOSINGS } from './closed-session.js';

const TOPIC = 'HTTP: refusals of the session endpoints';

const BY_ID: readonly Route[] = [
  routeOf('GET /v1/gate_sessions/{id}'),
  routeOf('GET /v1/gate_sessions/{id}/timeline'),
  routeOf('POST /v1/gate_sessions/{id}/cancel'),
  routeOf('POST /v1/test_helpers/gate_sessions/{id}/simulate'),
];

const MALFORMED_IDS = [
  '0',
  'x',
  '0'.repeat(23),
  '0'.repeat(25),
  'Z'.repeat(24),
  '%00',
  '%F0%9F%98%80',
  '..%2f',
  'null',
  `gtx_${'0'.repeat(20)}`,
  'x'.repeat(500),
];

const notFound: readonly Law<HttpSubject>[] = BY_ID.map((route) => {
  const body = route.template.endsWith('simulate') ? { body: { scenario: 'succeed' } } : {};
  return httpLaw(
    TOPIC,
    `${nameOf(route)} answers 404 session_not_found to an unknown or malformed id, another partner's and the other mode's`,
    async (world) => {
      await admitRival(world);
      const id = textOf(await open(world), 'id');
      const live = textOf(await open(world, {}, { mode: 'live' }), 'id');
      const ask = (one: string, key = SECRET) =>
        world.send(route.method, route.template.replace('{id}', one), { key, ...body });
      for (const one of ['0'.repeat(24), ...MALFORMED_IDS, live])
        expectRefusal(await ask(one), 404, 'session_not_found');
      expectRefusal(await ask(id, RIVAL_SECRET), 404, 'session_not_found');
      if (!route.hosts.includes('live')) return;
      const path = route.template.replace('{id}', id);
      expectRefusal(
        await world.send(route.method, path, { mode: 'live', key: TEST_KEYS.secret.live }),
        404,
        'session_not_found',
      );
    },
  );
});

const terminal: readonly Law<HttpSubject>[] = CLOSINGS.flatMap((status) => [
  httpLaw(
    TOPIC,
    `POST /v1/gate_sessions/{id}/cancel answers 409 session_not_open when the session is ${status}`,
    async (world) => {
      const id = textOf(await open(world), 'id');
      await closeSession(world, id, status);
      for (let again = 0; again < 2; again += 1) expectRefusal(await cancel(world, id), 409, 'session_not_open');
      assert.equal((await retrieve(world, id)).json['status'], status);
    },
  ),
  httpLaw(
    TOPIC,
    `POST /v1/test_helpers/gate_sessions/{id}/simulate answers 409 session_not_open when the session is ${status}`,
    async (world) => {
      const id = textOf(await open(world), 'id');
      await closeSession(world, id, status);
      for (const scenario of ['succeed', 'late_settlement'])
        expectRefusal(await simulate(world, id, scenario), 409, 'session_not_open');
    },
  ),
]);

export const sessionRefusals: readonly Law<HttpSubject>[] = [
  ...notFound,
  ...terminal,
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions/{id}/cancel answers 409 session_processing while money may be moving',
    async (world) => {
      const id = textOf(await open(world), 'id');
      expectStatus(await simulate(world, id, 'processing'), 200);
      expectRefusal(await cancel(world, id), 409, 'session_processing');
      assert.equal((await retrieve(world, id)).json['status'], 'open');
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions/{id}/cancel takes no body or an empty object, and answers 400 unknown_field to any field',
    async (world) => {
      const id = textOf(await open(world), 'id');
      for (const body of [{ reason: 'x' }, { __proto__: null, status: 'open' }])
        expectRefusal(await cancel(world, id, { body }), 400, 'unknown_field');
      expectRefusal(await cancel(world, id, { body: '[]' }), 400, 'validation_failed');
      expectRefusal(await cancel(world, id, { body: '{"__proto__":1}' }), 400, 'unknown_field');
      expectStatus(await cancel(world, id, { body: {} }), 200);
      expectStatus(await cancel(world, textOf(await open(world), 'id')), 200);
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 403 kyc_package_not_trusted when the partner may not verify its users',
    async (world) => {
      expectRefusal(await create(world, { kyc_package: { provider: 'sumsub' } }), 403, 'kyc_package_not_trusted');
      expectStatus(await create(world, { kyc_package: null }), 201);
    },
    { partner: { kycTrusted: false } },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/gate_sessions answers 403 swap_not_enabled when the flow is swap and the partner has no such entitlement',
    async (world) => {
      expectRefusal(await create(world, { flow: 'swap' }), 403, 'swap_not_enabled');
      expectStatus(await create(world, { flow: null }), 201);
    },
    { partner: { entitlements: [] } },
  ),
];
