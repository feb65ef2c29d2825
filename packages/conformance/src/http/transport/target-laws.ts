import assert from 'node:assert/strict';
import type { Law } from '../../law.js';
import { expectRefusal, expectStatus, itemsOf } from '../answer.js';
import { open, SECRET, SHOP } from '../calls.js';
import { httpLaw, inWorld } from '../world.js';
import type { HttpSubject } from '../subject.js';

const TOPIC = 'HTTP transport: methods, paths and queries';

export const targetLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'hands on the query as it was sent', async (world) => {
    const older = await open(world, { user_reference: 'a+b &=é%' });
    await open(world, { user_reference: 'a b' });
    const list = (query: string) => world.send('GET', `/v1/gate_sessions?${query}`, { key: SECRET });
    const found = expectStatus(await list('user_reference=a%2Bb%20%26%3D%C3%A9%25&lim%69t=1'), 200);
    assert.deepEqual(
      itemsOf(found).map((item) => item['id']),
      [older['id']],
    );
    assert.equal(itemsOf(await list('user_reference=a+b')).length, 1, 'a plus is a space');
    expectRefusal(await list('limit=1&limit=2'), 400, 'validation_failed');
    expectRefusal(await list('limit[]=1'), 400, 'unknown_parameter');
    expectStatus(await list(''), 200);
  }),
  httpLaw(TOPIC, 'decodes percent-encoding in the ids of a path, once', async (world) => {
    const id = String((await open(world))['id']);
    const encoded = `%${id.charCodeAt(0).toString(16)}${id.slice(1)}`;
    const read = (path: string) => world.send('GET', `/v1/gate_sessions/${path}`, { key: SECRET });
    assert.equal(expectStatus(await read(encoded), 200).json['id'], id);
    expectRefusal(await read(encoded.replace('%', '%25')), 404, 'session_not_found');
    expectRefusal(await read(`${id}%2Fcancel`), 404, 'session_not_found');
  }),
  httpLaw(TOPIC, 'answers 404 in the envelope to percent-encoding that is broken', async (world) => {
    for (const broken of ['%zz', '%', '%E0%A4%A', '%ff']) {
      expectRefusal(await world.send('GET', `/v1/gate_sessions/${broken}`, { key: SECRET }), 404, 'route_not_found');
    }
  }),
  httpLaw(TOPIC, 'answers 404 route_not_found to a path that is not exactly an endpoint', async (world) => {
    const id = String((await open(world))['id']);
    const paths = [
      '/',
      '/v1/gate_sessions/',
      `/v1/gate_sessions/${id}/`,
      '//v1/gate_sessions',
      '/v1//gate_sessions',
      '/V1/gate_sessions',
      '/health/',
    ];
    for (const path of paths) expectRefusal(await world.send('GET', path, { key: SECRET }), 404, 'route_not_found');
    const long = `/v1/gate_sessions/${'a'.repeat(2_000)}`;
    expectRefusal(await world.send('GET', long, { key: SECRET }), 404, 'session_not_found');
  }),
  httpLaw(TOPIC, 'answers 404 route_not_found to a method the contract does not have', async (world) => {
    for (const method of ['PUT', 'PATCH', 'DELETE', 'PROPFIND', 'PURGE', 'OPTIONS']) {
      expectRefusal(await world.send(method, '/v1/gate_sessions', { key: SECRET }), 404, 'route_not_found');
    }
    for (const method of ['PUT', 'PATCH', 'DELETE', 'REPORT']) {
      expectRefusal(await world.send(method, '/v1/gate_sessions', { key: SECRET, body: {} }), 404, 'route_not_found');
    }
  }),
  {
    topic: TOPIC,
    title: 'answers HEAD like GET without a body, refusals included',
    run: (subject) =>
      inWorld(subject, {}, async ({ t }) => {
        const host = await subject.mount(t.gate, 'test');
        try {
          for (const [path, expected] of [
            ['/health', 200],
            ['/v1/gate_sessions', 401],
            ['/v1/embed/bootstrap', 404],
            ['/nowhere', 404],
          ] as const) {
            const { status, headers, body } = await host.send({ method: 'HEAD', path });
            assert.deepEqual([path, status, body], [path, expected, '']);
            assert.equal(headers['content-type'], 'application/json; charset=utf-8');
            assert.match(headers['x-request-id'] ?? '', /^req_/);
          }
        } finally {
          await host.close();
        }
      }),
  },
  httpLaw(TOPIC, 'answers a preflight with 204 and no body, naming the origin', async (world) => {
    const answer = await world.send('OPTIONS', '/v1/embed/bootstrap', {
      origin: SHOP,
      headers: { 'access-control-request-method': 'POST' },
    });
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal(answer.headers['access-control-allow-origin'], SHOP);
    assert.equal(answer.headers['content-type'], undefined);
  }),
];
