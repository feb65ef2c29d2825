import assert from 'node:assert/strict';
import {
  type Answer,
  CAPABILITY_LISTS,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  type Members,
  previewQuotes,
  SECRET,
  type Sent,
} from '../kit.js';
import { arrayOf } from './array-of.js';

const TOPIC = 'HTTP: capabilities';

type List = (typeof CAPABILITY_LISTS)[number];

const ROW_OF = {
  countries: 'country',
  currencies: 'currency',
  assets: 'asset',
  networks: 'network',
  payment_methods: 'payment_method',
  flows: 'flow',
  limits: 'limit',
  ttls: 'ttl',
} as const satisfies Record<List, string>;

function ask(world: HttpWorld, list: List, sent: Sent = {}): Promise<Answer> {
  return world.send('GET', `/v1/capabilities/${list}`, { key: SECRET, ...sent });
}

async function rowsOf(world: HttpWorld, list: List): Promise<readonly Members[]> {
  return itemsOf(expectStatus(await ask(world, list), 200));
}

export const capabilityShapes: readonly Law<HttpSubject>[] = [
  ...CAPABILITY_LISTS.map((list) =>
    httpLaw(TOPIC, `GET /v1/capabilities/${list} lists all its rows on one page, each as documented`, async (world) => {
      const { json } = expectStatus(await ask(world, list), 200);
      assert.deepEqual([json['object'], json['has_more'], json['url']], ['list', false, `/v1/capabilities/${list}`]);
      const rows = arrayOf(json['data']);
      assert.ok(rows.length > 0);
      for (const row of rows) {
        assert.equal(row['object'], ROW_OF[list]);
      }
      const keys = rows.map(({ code, flow, payment_method, currency, type }) =>
        JSON.stringify([code, flow, payment_method, currency, type]),
      );
      assert.equal(new Set(keys).size, keys.length, 'no row is listed twice');
    }),
  ),
  ...CAPABILITY_LISTS.map((list) =>
    httpLaw(
      TOPIC,
      `GET /v1/capabilities/${list} may be kept by its caller, and answers 304 without a body to one who has it`,
      async (world) => {
        const { headers } = expectStatus(await ask(world, list), 200);
        const etag = headers['etag'] ?? '';
        assert.match(etag, /^"[^"]+"$/, 'a strong tag');
        assert.equal(headers['cache-control'], 'private, max-age=300');
        assert.ok((headers['vary'] ?? '').split(/, */).includes('Authorization'));
        assert.equal((await ask(world, list)).headers['etag'], etag);
        for (const known of [etag, `W/${etag}`, `"another", ${etag}`, '*']) {
          const answer = expectStatus(await ask(world, list, { headers: { 'if-none-match': known } }), 304);
          assert.equal(answer.text, '');
          assert.equal(answer.headers['content-length'], undefined, 'a length would be that of the body');
          for (const name of ['etag', 'cache-control', 'vary'])
            assert.equal(answer.headers[name], headers[name], `${name} is on a 304 too`);
        }
        for (const other of ['"another"', etag.slice(1, -1)])
          expectStatus(await ask(world, list, { headers: { 'if-none-match': other } }), 200);
      },
    ),
  ),
  ...CAPABILITY_LISTS.map((list) =>
    httpLaw(TOPIC, `GET /v1/capabilities/${list} answers 400 unknown_parameter to any query`, async (world) => {
      for (const query of ['limit=1', 'starting_after=DE', 'x'])
        expectRefusal(
          await world.send('GET', `/v1/capabilities/${list}?${query}`, { key: SECRET }),
          400,
          'unknown_parameter',
        );
    }),
  ),
  httpLaw(TOPIC, 'the lists name the same things: no row refers to one that is not listed', async (world) => {
    const codes = async (list: List) => new Set((await rowsOf(world, list)).map(({ code }) => code));
    const known: Readonly<Record<string, ReadonlySet<unknown>>> = {
      flows: await codes('flows'),
      flow: await codes('flows'),
      payment_methods: await codes('payment_methods'),
      payment_method: await codes('payment_methods'),
      currencies: await codes('currencies'),
      currency: await codes('currencies'),
      networks: await codes('networks'),
      assets: await codes('assets'),
    };
    for (const list of CAPABILITY_LISTS) {
      for (const row of await rowsOf(world, list)) {
        for (const [name, value] of Object.entries(row)) {
          for (const code of [value].flat())
            assert.ok(known[name]?.has(code) ?? true, `${list}: ${name} ${String(code)}`);
        }
      }
    }
  }),
  httpLaw(
    TOPIC,
    'whatever is listed is priced: every asset on each of its networks, in every currency and country',
    async (world) => {
      const countries = await rowsOf(world, 'countries');
      for (const asset of await rowsOf(world, 'assets')) {
        for (const network of [asset['networks']].flat()) {
          for (const currency of await rowsOf(world, 'currencies')) {
            const body = {
              asset: asset['code'],
              network,
              currency: currency['code'],
              country_code: countries[0]?.['code'],
            };
            const { json } = expectStatus(await previewQuotes(world, body), 200);
            assert.ok(arrayOf(json['quotes']).some((quote) => quote['available'] === true));
          }
        }
      }
    },
  ),
  httpLaw(
    TOPIC,
    'a flow that a partner lacks the entitlement for is listed and not enabled, and its tag is another',
    async (world) => {
      const before = await ask(world, 'flows');
      const enabled = (answer: Answer) => new Map(itemsOf(answer).map((row) => [row['code'], row['enabled']]));
      assert.deepEqual(
        [...enabled(before)],
        [
          ['on_ramp', true],
          ['off_ramp', true],
          ['swap', true],
        ],
      );
      await world.t.gate.admin.savePartner({ ...world.t.partner, entitlements: [] });
      const known = { headers: { 'if-none-match': before.headers['etag'] ?? '' } };
      const after = expectStatus(await ask(world, 'flows', known), 200);
      assert.deepEqual(
        [...enabled(after)],
        [
          ['on_ramp', true],
          ['off_ramp', true],
          ['swap', false],
        ],
      );
    },
  ),
];
