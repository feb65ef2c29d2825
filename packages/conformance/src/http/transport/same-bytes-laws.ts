import assert from 'node:assert/strict';
import type { Crypto } from '@gateramp/core/ports';
import { nodeCrypto } from '@gateramp/core/runtime';
import type { TestGateOptions } from '@gateramp/testing';
import type { Law } from '../../law.js';
import type { Answer } from '../answer.js';
import { create, SHOP } from '../calls.js';
import { nameOf, ROUTES, unknownPath, type Route } from '../routes.js';
import { inWorld, type HttpWorld, type Sent } from '../world.js';
import { fetchSubject } from '../fetch-subject.js';
import type { HttpSubject } from '../subject.js';

/** One answer of a tour, with a description of the request. */
type Step = readonly [request: string, answer: Answer];

type Tour = (world: HttpWorld) => Promise<readonly Step[]>;

export const sameBytesLaws: readonly Law<HttpSubject>[] = [
  sameBytes('answers the same bytes as the Fetch bridge, over every endpoint and its refusals', everyEndpoint, {}),
  sameBytes('answers the same bytes as the Fetch bridge while the rate limit is used up', spendTheLimit, {
    rateLimits: 'on',
  }),
];

/** Sends the same requests to two gates with the same seed that are served differently; all answers must be equal. */
function sameBytes(title: string, tour: Tour, options: TestGateOptions): Law<HttpSubject> {
  return {
    topic: 'HTTP transport: same bytes',
    title,
    async run(subject) {
      const shared = { ...options, ports: { crypto: onePepper() } };
      const expected = await inWorld(fetchSubject(), shared, tour);
      const given = await inWorld(subject, shared, tour);
      assert.equal(given.length, expected.length);
      for (const [index, [request, answer]] of given.entries()) {
        assert.deepEqual(
          [request, onTheWire(answer)],
          [expected[index]?.[0], expected[index] && onTheWire(expected[index][1])],
        );
        checkLength(request, answer);
      }
    },
  };
}

async function everyEndpoint(world: HttpWorld): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (const route of ROUTES) {
    for (const mode of ['test', 'live'] as const) steps.push(...(await aroundEndpoint(world, route, mode)));
  }
  return steps;
}

async function aroundEndpoint(world: HttpWorld, route: Route, mode: 'test' | 'live'): Promise<readonly Step[]> {
  const steps: Step[] = [];
  const ask = async (what: string, method: string, path: string, sent: Sent): Promise<void> => {
    steps.push([`${nameOf(route)} on ${mode}: ${what}`, await world.send(method, path, { ...sent, mode })]);
  };
  const { method, path, sent } = route.hosts.includes(mode)
    ? { method: route.method, ...(await route.sample(world, mode)) }
    : { method: route.method, path: unknownPath(route), sent: {} };
  await ask('as it should be', method, path, sent);
  await ask('the same again', method, path, sent);
  await ask('with nothing', method, path, {});
  await ask('of what does not exist', method, unknownPath(route), sent);
  await ask('with an unknown parameter', method, `${path}?colour=%C3%A9+1`, sent);
  await ask('with a trailing slash', method, `${path}/`, sent);
  await ask('by a method it has not', 'PUT', path, sent);
  await ask('as a preflight', 'OPTIONS', path, { origin: SHOP, headers: { 'access-control-request-method': 'POST' } });
  await ask('as OPTIONS without an origin', 'OPTIONS', path, {});
  if (method === 'GET') return steps;
  await ask('with an unknown field', method, path, { ...sent, body: { colour: 'é' } });
  await ask('with a body that is not JSON', method, path, { ...sent, body: '{"amount":' });
  await ask('with a body of another type', method, path, {
    ...sent,
    body: '{}',
    headers: { ...sent.headers, 'content-type': 'text/plain' },
  });
  return steps;
}

async function spendTheLimit(world: HttpWorld): Promise<readonly Step[]> {
  const steps: Step[] = [];
  for (let nth = 1; nth <= 12; nth += 1) {
    steps.push([`create ${nth}`, await create(world)], [`unknown route ${nth}`, await world.send('GET', '/nowhere')]);
  }
  return steps;
}

/** Tokens are signed with a random key of a gate's first start: both gates get the same one. */
function onePepper(): Crypto {
  const crypto = nodeCrypto({ masterKey: null });
  let opened: Promise<void> | null = null;
  return { ...crypto, open: (settings) => (opened ??= crypto.open(settings)) };
}

/** Headers of the connection rather than the response. */
const HOP_HEADERS = new Set(['connection', 'content-length', 'date', 'keep-alive', 'transfer-encoding']);

function onTheWire({ status, headers, text }: Answer): unknown {
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers)
        .filter(([name]) => !HOP_HEADERS.has(name))
        .sort(),
    ),
    text,
  };
}

function checkLength(request: string, { headers, text }: Answer): void {
  const stated = headers['content-length'];
  if (stated !== undefined && text !== '') assert.equal(Number(stated), Buffer.byteLength(text), request);
}
