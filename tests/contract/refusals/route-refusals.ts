import assert from 'node:assert/strict';
import {
  type Answer,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type Law,
  operationOf,
  OPERATIONS,
  ROUTES,
  SECRET,
  sendTo,
  unknownPath,
} from '../kit.js';
import { TEST_KEYS } from '@gateramp/testing';

const TOPIC = 'HTTP: routes';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

const NOWHERE = [
  '/',
  '/v1',
  '/v2/gate_sessions',
  '/v1/gate_sessions/',
  '/v1//gate_sessions',
  '/V1/gate_sessions',
  '/v1/Gate_Sessions',
  '/v1/gate_sessions/a/b',
  '/v1/gate_sessions/a/cancel/',
  '/v1/embed',
  '/health/',
  '/healthz',
  '/v1/providers//callbacks',
  '/v1/gate_sessions/%',
  '/v1/gate_sessions/%ff',
  '/__proto__',
  '/constructor',
];

export const routeRefusals: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'answers 404 route_not_found to any other path, exact to the last character', async (world) => {
    for (const path of NOWHERE) {
      for (const method of ['GET', 'POST'])
        expectRefusal(await world.send(method, path, { key: SECRET }), 404, 'route_not_found');
    }
  }),
  httpLaw(
    TOPIC,
    'answers 404 route_not_found to every method, on every host, that the document does not list for a path of it',
    async (world) => {
      const all = [{ mode: 'test' }, { mode: 'live' }, { product: 'pools' }] as const;
      const hosts = all.filter((at) => 'mode' in at || 'poolsHost' in world.t.gate);
      for (const template of new Set(OPERATIONS.map(({ segments }) => segments.join('/')))) {
        const path = unknownPath({ template });
        for (const at of hosts) {
          const host = 'product' in at ? at.product : at.mode;
          const key = TEST_KEYS.secret[host === 'test' ? 'test' : 'live'];
          for (const method of METHODS) {
            if (operationOf(method, path, host) !== null) continue;
            expectRefusal(await world.send(method, path, { ...at, key }), 404, 'route_not_found');
          }
        }
      }
    },
  ),
  ...ROUTES.filter((route) => route.method === 'GET').map((route) =>
    httpLaw(TOPIC, `HEAD ${route.template} answers like GET, without a body`, async (world) => {
      const { path, sent } = await route.sample(world, 'test');
      const got = expectStatus(await sendTo(world, route, { path, sent }), 200);
      const headed = expectStatus(await world.send('HEAD', path, sent), 200);
      assert.equal(headed.text, '');
      assert.deepEqual(ownHeaders(headed), ownHeaders(got));
    }),
  ),
];

/** Without headers that differ between any two answers. */
function ownHeaders({ headers }: Answer): Readonly<Record<string, string>> {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...own } = headers;
  return own;
}
