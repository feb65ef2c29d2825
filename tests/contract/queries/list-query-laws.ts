import assert from 'node:assert/strict';
import { TEST_KEYS } from '@gateramp/testing';
import {
  admitRival,
  type Answer,
  attempt,
  buyer,
  create,
  expectRefusal,
  expectStatus,
  failedFields,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  open,
  RIVAL_SECRET,
  SECRET,
  SHOP,
  simulate,
  textOf,
} from '../kit.js';

const TOPIC = 'HTTP: list queries';

interface ListRoute {
  readonly path: string;
  readonly id: string;
  readonly notFound: string;
  readonly statuses: readonly string[];
  /** Adds one item and returns its id. */
  readonly add: (world: HttpWorld, body?: Readonly<Record<string, unknown>>) => Promise<string>;
  readonly unknown: string;
}

const LISTS: readonly ListRoute[] = [
  {
    path: '/v1/gate_sessions',
    id: 'id',
    notFound: 'session_not_found',
    statuses: ['open', 'completed', 'expired', 'cancelled'],
    add: async (world, body) => textOf(await open(world, body), 'id'),
    unknown: '0'.repeat(24),
  },
  {
    path: '/v1/transactions',
    id: 'refid',
    notFound: 'transaction_not_found',
    statuses: ['pending', 'processing', 'completed', 'failed', 'refunded', 'charged_back'],
    add: async (world, body) => {
      const { token } = await buyer(world, body);
      return textOf(expectStatus(await attempt(world, token), 201).json, 'tx_refid');
    },
    unknown: `gtx_${'0'.repeat(20)}`,
  },
];

const BAD_LIMITS = ['0', '101', 'abc', '-1', '1.5', '1e1', '0x10', '', ' 5', '99999999999999999999', 'null'];
const BAD_TIMES = [
  'yesterday',
  '',
  '1893456000',
  '2030-13-01T00:00:00Z',
  '2030-02-30T00:00:00Z',
  '2030-01-01T25:00:00Z',
  '2030-01-01T00:00',
  '2030-1-1',
  '01/02/2030',
];
const GOOD_TIMES = ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00.000Z', '2030-01-01T01:00:00%2B01:00', '2030-01-01'];
const MALFORMED_IDS = ['', 'x', 'null', '%00', '%F0%9F%98%80', '..%2F..', "'%3B--", 'x'.repeat(300)];

function list(world: HttpWorld, route: ListRoute, query: string, key = SECRET): Promise<Answer> {
  return world.send('GET', `${route.path}${query}`, { key });
}

async function ids(world: HttpWorld, route: ListRoute, query: string): Promise<readonly string[]> {
  return itemsOf(expectStatus(await list(world, route, query), 200)).map((item) => textOf(item, route.id));
}

async function addSeveral(world: HttpWorld, route: ListRoute, count: number): Promise<string[]> {
  const added: string[] = [];
  for (let each = 0; each < count; each += 1) added.unshift(await route.add(world));
  return added;
}

const shared: readonly Law<HttpSubject>[] = LISTS.flatMap((route) => {
  const name = `GET ${route.path}`;
  return [
    httpLaw(
      TOPIC,
      `${name} answers newest first, 10 to a page by default, and says whether there is more`,
      async (world) => {
        const all = await addSeveral(world, route, 12);
        const first = expectStatus(await list(world, route, ''), 200);
        assert.deepEqual(Object.keys(first.json), ['object', 'data', 'has_more', 'url']);
        assert.deepEqual([first.json['object'], first.json['has_more'], first.json['url']], ['list', true, route.path]);
        assert.deepEqual(await ids(world, route, ''), all.slice(0, 10));
        const rest = expectStatus(await list(world, route, `?starting_after=${all[9]}`), 200);
        assert.equal(rest.json['has_more'], false);
        assert.equal(rest.json['url'], route.path);
        assert.deepEqual(
          itemsOf(rest).map((item) => item[route.id]),
          all.slice(10),
        );
      },
    ),
    httpLaw(TOPIC, `${name} is walked without gap or repeat in both directions`, async (world) => {
      const all = await addSeveral(world, route, 5);
      assert.deepEqual(await ids(world, route, '?limit=2'), all.slice(0, 2));
      assert.deepEqual(await ids(world, route, `?limit=2&starting_after=${all[1]}`), all.slice(2, 4));
      assert.deepEqual(await ids(world, route, `?limit=2&starting_after=${all[3]}`), all.slice(4));
      assert.deepEqual(await ids(world, route, `?limit=2&ending_before=${all[4]}`), all.slice(2, 4));
      assert.deepEqual(await ids(world, route, `?limit=2&ending_before=${all[0]}`), []);
    }),
    httpLaw(
      TOPIC,
      `${name} takes limits from 1 to 100 and answers 400 validation_failed to any other`,
      async (world) => {
        await addSeveral(world, route, 2);
        for (const limit of [1, 2, 100])
          assert.equal((await ids(world, route, `?limit=${limit}`)).length, Math.min(limit, 2));
        for (const limit of BAD_LIMITS) {
          const answer = await list(world, route, `?limit=${limit}`);
          expectRefusal(answer, 400, 'validation_failed');
          assert.deepEqual(failedFields(answer), ['limit']);
        }
      },
    ),
    httpLaw(
      TOPIC,
      `${name} answers 404 ${route.notFound} to an unknown, malformed or foreign cursor`,
      async (world) => {
        const own = await route.add(world);
        await admitRival(world);
        for (const cursor of ['starting_after', 'ending_before']) {
          for (const id of [route.unknown, ...MALFORMED_IDS])
            expectRefusal(await list(world, route, `?${cursor}=${id}`), 404, route.notFound);
          expectRefusal(await list(world, route, `?${cursor}=${own}`, RIVAL_SECRET), 404, route.notFound);
          const live = await world.send('GET', `${route.path}?${cursor}=${own}`, {
            mode: 'live',
            key: TEST_KEYS.secret.live,
          });
          expectRefusal(live, 404, route.notFound);
        }
      },
    ),
    httpLaw(TOPIC, `${name} answers 400 validation_failed to both cursors at once`, async (world) => {
      const id = await route.add(world);
      expectRefusal(await list(world, route, `?starting_after=${id}&ending_before=${id}`), 400, 'validation_failed');
    }),
    httpLaw(TOPIC, `${name} answers 400 unknown_parameter to an unknown parameter, and names it`, async (world) => {
      for (const parameter of ['expand', 'Limit', 'page', 'client_secret', '__proto__', 'constructor', '']) {
        const answer = await list(world, route, `?${parameter}=1`);
        expectRefusal(answer, 400, 'unknown_parameter');
        assert.deepEqual(failedFields(answer), [parameter]);
      }
    }),
    httpLaw(TOPIC, `${name} answers 400 validation_failed to a repeated parameter`, async (world) => {
      for (const parameter of [
        'limit=1',
        'status=completed',
        'created_after=2030-01-01',
        'user_reference=u',
        `starting_after=${route.unknown}`,
      ]) {
        expectRefusal(await list(world, route, `?${parameter}&${parameter}`), 400, 'validation_failed');
      }
    }),
    httpLaw(TOPIC, `${name} takes ISO-8601 times and answers 400 validation_failed to any other`, async (world) => {
      for (const name of ['created_after', 'created_before']) {
        for (const time of GOOD_TIMES) expectStatus(await list(world, route, `?${name}=${time}`), 200);
        for (const time of BAD_TIMES)
          expectRefusal(await list(world, route, `?${name}=${time}`), 400, 'validation_failed');
      }
    }),
    httpLaw(TOPIC, `${name} answers 400 validation_failed to a status or flow that does not exist`, async (world) => {
      for (const status of route.statuses) expectStatus(await list(world, route, `?status=${status}`), 200);
      for (const query of ['status=', 'status=OPEN', 'status=open,expired', 'flow=buy', 'flow=']) {
        expectRefusal(await list(world, route, `?${query}`), 400, 'validation_failed');
      }
    }),
    httpLaw(TOPIC, `${name} filters by flow, user_reference and time of creation`, async (world) => {
      const first = await route.add(world, { user_reference: 'a&b', flow: 'on_ramp' });
      await world.t.clock.advance('1s');
      const second = await route.add(world, { user_reference: 'c' });
      const noted = route.path.includes('session') ? [first] : [second, first];
      assert.deepEqual(await ids(world, route, '?user_reference=a%26b'), [first]);
      assert.deepEqual(await ids(world, route, '?user_reference=none'), []);
      assert.deepEqual(await ids(world, route, '?flow=on_ramp'), noted);
      assert.deepEqual(await ids(world, route, '?flow=swap'), []);
      assert.deepEqual(await ids(world, route, '?created_after=2030-01-01T00:00:01Z'), [second]);
      assert.deepEqual(await ids(world, route, '?created_before=2030-01-01T00:00:01Z'), [first]);
      assert.deepEqual(await ids(world, route, '?user_reference=a%26b&created_after=2030-01-01T00:00:01Z'), []);
    }),
    httpLaw(TOPIC, `${name} shows nothing of another partner or mode`, async (world) => {
      await route.add(world);
      await admitRival(world);
      assert.deepEqual(itemsOf(await list(world, route, '', RIVAL_SECRET)), []);
      const live = await world.send('GET', route.path, { mode: 'live', key: TEST_KEYS.secret.live });
      assert.deepEqual(itemsOf(live), []);
    }),
  ];
});

export const listQueryLaws: readonly Law<HttpSubject>[] = [
  ...shared,
  httpLaw(TOPIC, 'GET /v1/gate_sessions filters by currency, whatever its case', async (world) => {
    const id = textOf(await open(world, { currency: 'usd' }), 'id');
    await create(world);
    const route = LISTS[0];
    assert.ok(route !== undefined);
    for (const currency of ['USD', 'usd']) assert.deepEqual(await ids(world, route, `?currency=${currency}`), [id]);
    for (const currency of ['US', 'USDC', '', '840'])
      expectRefusal(await list(world, route, `?currency=${currency}`), 400, 'validation_failed');
  }),
  httpLaw(TOPIC, 'GET /v1/transactions filters by session_id', async (world) => {
    const route = LISTS[1];
    assert.ok(route !== undefined);
    await route.add(world);
    const { token, sessionId } = await buyer(world);
    const refid = textOf(expectStatus(await attempt(world, token), 201).json, 'tx_refid');
    assert.deepEqual(await ids(world, route, `?session_id=${sessionId}`), [refid]);
  }),
  httpLaw(TOPIC, 'GET /v1/gate_sessions and GET /v1/transactions filter by status', async (world) => {
    const scenarios = { completed: 'succeed', open: 'decline', cancelled: 'late_settlement' } as const;
    const made = new Map<string, { readonly session: string; readonly refid: string }>();
    for (const [status, scenario] of Object.entries(scenarios)) {
      const session = textOf(await open(world), 'id');
      const intent = expectStatus(await simulate(world, session, scenario), 200).json;
      made.set(status, { session, refid: textOf(intent, 'tx_refid') });
    }
    const seen = async (path: string) =>
      itemsOf(expectStatus(await world.send('GET', path, { key: SECRET }), 200)).map((item) => item['id']);
    for (const [status, { session }] of made)
      assert.deepEqual(await seen(`/v1/gate_sessions?status=${status}`), [session]);
    assert.deepEqual(await seen('/v1/gate_sessions?status=expired'), []);
    assert.deepEqual(await seen('/v1/transactions?status=completed'), [
      made.get('cancelled')?.refid,
      made.get('completed')?.refid,
    ]);
    assert.deepEqual(await seen('/v1/transactions?status=failed'), [made.get('open')?.refid]);
    assert.deepEqual(await seen('/v1/transactions?status=refunded'), []);
  }),
  httpLaw(TOPIC, 'every route without parameters answers 400 unknown_parameter to any', async (world) => {
    const body = { amount: '1.00', currency: 'EUR', return_url: SHOP };
    const created = await world.send('POST', '/v1/gate_sessions?limit=1', {
      key: SECRET,
      idempotencyKey: freshKey(),
      body,
    });
    expectRefusal(created, 400, 'unknown_parameter');
    const { token, sessionId } = await buyer(world);
    expectRefusal(
      await world.send('GET', `/v1/gate_sessions/${sessionId}?expand=x`, { key: SECRET }),
      400,
      'unknown_parameter',
    );
    expectRefusal(
      await world.send('POST', `/v1/gate_sessions/${sessionId}/cancel?force=1`, { key: SECRET }),
      400,
      'unknown_parameter',
    );
    expectRefusal(await world.send('GET', '/v1/embed/session?x', { token }), 400, 'unknown_parameter');
    expectRefusal(await world.send('GET', '/health?x=1'), 400, 'unknown_parameter');
  }),
];
