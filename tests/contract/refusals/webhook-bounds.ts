import assert from 'node:assert/strict';
import { ACCEPTED, REFUSED } from '@gateramp/testing';
import {
  type Answer,
  deadLettered,
  expectRefusal,
  expectStatus,
  failedFields,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  SECRET,
  textOf,
} from '../kit.js';

const TOPIC = 'HTTP: bounds of the webhook tooling';

const DELIVERIES = '/v1/webhooks/deliveries';

const NOT_WHOLE: readonly unknown[] = [-1, 1.5, '1', true, [], {}];

function post(world: HttpWorld, path: string, body?: Members): Promise<Answer> {
  return world.send('POST', path, { key: SECRET, idempotencyKey: freshKey(), body });
}

async function delivery(world: HttpWorld, id: string): Promise<Members> {
  return expectStatus(await world.send('GET', `${DELIVERIES}/${id}`, { key: SECRET }), 200).json;
}

/** This many dead-lettered webhooks. */
async function buried(world: HttpWorld, count: number): Promise<void> {
  const { t } = world;
  t.receiver.answerWith(() => REFUSED);
  for (let nth = 0; nth < count; nth += 1) expectStatus(await post(world, '/v1/webhooks/test'), 202);
  for (const gap of ['0s', '1m', '5m', '30m', '2h'] as const) {
    await t.clock.advance(gap);
    await t.gate.runDue();
  }
  t.receiver.answerWith(() => ACCEPTED);
}

export const webhookBounds: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    `POST ${DELIVERIES}/{id}/replay answers 409 delivery_not_dead_lettered to one that is pending, retrying or delivered, and changes nothing`,
    async (world) => {
      const { t } = world;
      const id = textOf(expectStatus(await post(world, '/v1/webhooks/test'), 202).json, 'delivery_id');
      for (const status of ['pending', 'retrying', 'delivered']) {
        const before = await delivery(world, id);
        assert.equal(before['status'], status);
        expectRefusal(await post(world, `${DELIVERIES}/${id}/replay`), 409, 'delivery_not_dead_lettered');
        assert.deepEqual(await delivery(world, id), before);
        t.receiver.answerWith(() => (status === 'pending' ? REFUSED : ACCEPTED));
        if (status === 'retrying') await t.clock.advance('1m');
        await t.gate.runDue();
      }
    },
  ),
  httpLaw(TOPIC, 'a delivery that was replayed can be replayed again only when it is dead again', async (world) => {
    const id = await deadLettered(world);
    const { json } = expectStatus(await post(world, `${DELIVERIES}/${id}/replay`), 202);
    assert.deepEqual([json['status'], json['attempt_count'], json['replay_count']], ['pending', 0, 1]);
    expectRefusal(await post(world, `${DELIVERIES}/${id}/replay`), 409, 'delivery_not_dead_lettered');
  }),
  httpLaw(TOPIC, `POST ${DELIVERIES}/replay takes a limit of 1 to 1,000, and 100 by default`, async (world) => {
    await buried(world, 103);
    const first = expectStatus(await post(world, `${DELIVERIES}/replay`, { limit: 1 }), 202).json;
    assert.deepEqual([first['replayed'], first['has_more']], [1, true]);
    const usual = expectStatus(await post(world, `${DELIVERIES}/replay`), 202).json;
    assert.deepEqual([usual['replayed'], usual['has_more']], [100, true]);
    const rest = expectStatus(await post(world, `${DELIVERIES}/replay`, { limit: 1_000 }), 202).json;
    assert.deepEqual([rest['replayed'], rest['has_more']], [2, false]);
  }),
  httpLaw(
    TOPIC,
    `POST ${DELIVERIES}/replay answers 400 validation_failed to a limit that is not 1 to 1,000`,
    async (world) => {
      for (const limit of [0, 1_001, ...NOT_WHOLE]) {
        const answer = await post(world, `${DELIVERIES}/replay`, { limit });
        expectRefusal(answer, 400, 'validation_failed');
        assert.deepEqual(failedFields(answer), ['limit'], JSON.stringify(limit));
      }
    },
  ),
  httpLaw(
    TOPIC,
    'POST /portal/webhook-secret/rotate takes a grace of 0 to 86,400 seconds, in which the former secret goes on, and none by default',
    async (world) => {
      const now = world.t.clock.now('test');
      for (const seconds of [0, 1, 86_400, null]) {
        const body = seconds === null ? undefined : { grace_period_seconds: seconds };
        const { json } = expectStatus(await post(world, '/portal/webhook-secret/rotate', body), 200);
        const until = json['previous_expires_at'];
        if (seconds === null || seconds === 0) assert.equal(until, null);
        else assert.equal(Date.parse(String(until)), now + seconds * 1_000);
      }
    },
  ),
  httpLaw(
    TOPIC,
    'POST /portal/webhook-secret/rotate answers 400 validation_failed to a grace that is not 0 to 86,400 whole seconds, and rotates nothing',
    async (world) => {
      const prefix = async () =>
        (await world.send('GET', '/v1/webhooks/endpoint', { key: SECRET })).json['secret_prefix'];
      const before = await prefix();
      for (const seconds of [86_401, ...NOT_WHOLE]) {
        const answer = await post(world, '/portal/webhook-secret/rotate', { grace_period_seconds: seconds });
        expectRefusal(answer, 400, 'validation_failed');
        assert.deepEqual(failedFields(answer), ['grace_period_seconds'], JSON.stringify(seconds));
      }
      assert.equal(await prefix(), before);
    },
  ),
  httpLaw(
    TOPIC,
    `GET ${DELIVERIES} and POST ${DELIVERIES}/replay answer 400 validation_failed to an event_type that no event has, and replay nothing`,
    async (world) => {
      const id = await deadLettered(world);
      for (const type of ['gate_session.complete', 'webhook.*', 'WEBHOOK.TEST', '']) {
        const answers = [
          await world.send('GET', `${DELIVERIES}?event_type=${type}`, { key: SECRET }),
          await post(world, `${DELIVERIES}/replay`, { event_type: type }),
        ];
        for (const answer of answers) {
          expectRefusal(answer, 400, 'validation_failed');
          assert.deepEqual(failedFields(answer), ['event_type'], type);
        }
      }
      assert.equal((await delivery(world, id))['status'], 'dead_lettered');
    },
  ),
  httpLaw(TOPIC, `GET ${DELIVERIES} takes limits from 1 to 100 and has 10 on a page by default`, async (world) => {
    for (let nth = 0; nth < 11; nth += 1) expectStatus(await post(world, '/v1/webhooks/test'), 202);
    const list = (query: string) => world.send('GET', `${DELIVERIES}${query}`, { key: SECRET });
    for (const [query, count] of [
      ['', 10],
      ['?limit=1', 1],
      ['?limit=100', 11],
    ] as const) {
      const { data } = expectStatus(await list(query), 200).json;
      assert.equal(Array.isArray(data) && data.length, count, query);
    }
    for (const limit of ['0', '101', 'x', '1.5']) {
      const answer = await list(`?limit=${limit}`);
      expectRefusal(answer, 400, 'validation_failed');
      assert.deepEqual(failedFields(answer), ['limit']);
    }
  }),
];
