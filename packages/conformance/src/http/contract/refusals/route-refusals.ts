import { ENDPOINTS, PAGES } from '@gateramp/core/http';
import assert from 'node:assert/strict';
import type { Law } from '../../../law.js';
import type { HttpSubject } from '../../subject.js';
import { expectRefusal, expectStatus, type Answer } from '../answer.js';
import { SECRET } from '../calls.js';
import { OPERATIONS } from '../described/operations.js';
import { POOL_ROUTES } from '../pools/pool-routes.js';
import { nameOf, ROUTES, sendTo, unknownPath } from '../routes.js';
import { httpLaw } from '../world.js';

const TOPIC = 'HTTP: routes';

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
  httpLaw(
    TOPIC,
    'every endpoint there is has its laws: the table of routes and the endpoint table name the same',
    async () => {
      const served = ENDPOINTS.map(({ method, path }) => `${method} ${path}`).sort();
      const pages = [...PAGES.keys()].map((path) => `GET ${path}`);
      assert.deepEqual(
        OPERATIONS.map(({ name }) => name).sort(),
        [...served, ...pages].sort(),
        'the document lists every route, and no other',
      );
      assert.deepEqual([...ROUTES, ...POOL_ROUTES].map(nameOf).sort(), served);
    },
  ),
  httpLaw(TOPIC, 'answers 404 route_not_found to any other path, exact to the last character', async (world) => {
    for (const path of NOWHERE) {
      for (const method of ['GET', 'POST'])
        expectRefusal(await world.send(method, path, { key: SECRET }), 404, 'route_not_found');
    }
  }),
  ...ROUTES.map((route) =>
    httpLaw(TOPIC, `${route.template} answers 404 route_not_found to PUT, PATCH and DELETE`, async (world) => {
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        expectRefusal(await world.send(method, unknownPath(route), { key: SECRET }), 404, 'route_not_found');
      }
    }),
  ),
  ...ROUTES.filter(
    (route) => !ROUTES.some((other) => meets(other.template, route.template) && other.method !== route.method),
  ).map((route) => {
    const method = route.method === 'GET' ? 'POST' : 'GET';
    return httpLaw(TOPIC, `${route.template} answers 404 route_not_found to ${method}`, async (world) => {
      expectRefusal(await world.send(method, unknownPath(route), { key: SECRET }), 404, 'route_not_found');
    });
  }),
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

/** Whether a path of `template` is one of `other` too: `preview` could be the id of a quote. */
function meets(other: string, template: string): boolean {
  const [ours, theirs] = [template.split('/'), other.split('/')];
  return ours.length === theirs.length && theirs.every((part, at) => part === ours[at] || part.startsWith('{'));
}

/** Without what differs between any two answers. */
function ownHeaders({ headers }: Answer): Readonly<Record<string, string>> {
  const { 'x-request-id': _id, date: _date, 'content-length': _length, ...own } = headers;
  return own;
}
