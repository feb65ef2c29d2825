import assert from 'node:assert/strict';
import { TEST_KEYS } from '@gateramp/testing';
import {
  admitRival,
  type Answer,
  cancel,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  itemsOf,
  type Law,
  type Members,
  open,
  RIVAL_SECRET,
  SECRET,
  type Sent,
  simulate,
  textOf,
} from '../kit.js';

const TOPIC = 'HTTP: the events feed';

function list(world: HttpWorld, query = '', sent: Sent = {}): Promise<Answer> {
  return world.send('GET', `/v1/events${query}`, { key: TEST_KEYS.secret[sent.mode ?? 'test'], ...sent });
}

function read(world: HttpWorld, id: string, sent: Sent = {}): Promise<Answer> {
  return world.send('GET', `/v1/events/${id}`, { key: TEST_KEYS.secret[sent.mode ?? 'test'], ...sent });
}

async function listed(world: HttpWorld, query = '', sent: Sent = {}): Promise<readonly Members[]> {
  return itemsOf(expectStatus(await list(world, query, sent), 200));
}

function types(events: readonly Members[]): readonly unknown[] {
  return events.map(({ type }) => type);
}

/** A session that was paid for. */
async function bought(world: HttpWorld): Promise<string> {
  const id = textOf(await open(world), 'id');
  await world.t.clock.advance('1s');
  expectStatus(await simulate(world, id, 'succeed'), 200);
  return id;
}

const BOUGHT = ['gate_session.completed', 'gate_session.processing', 'gate_session.created'];

export const eventLaws: readonly Law<HttpSubject>[] = [
  httpLaw(
    TOPIC,
    'GET /v1/events and /v1/events/{id} answer what was delivered, byte for byte, and object',
    async (world) => {
      await bought(world);
      await world.t.gate.runDue();
      const delivered = world.t.deliveries();
      assert.ok(delivered.length >= 3);
      for (const { body } of delivered) {
        const sent = JSON.parse(body) as Members;
        const found = expectStatus(await read(world, textOf(sent, 'id')), 200);
        assert.equal(found.text, `${body.slice(0, -1)},"object":"event"}`);
        assert.ok((await list(world, '?limit=100')).text.includes(found.text), 'the list says it otherwise');
      }
      const events = await listed(world);
      assert.deepEqual(types(events), BOUGHT);
    },
  ),
  httpLaw(TOPIC, 'GET /v1/events lists what was never delivered too', async (world) => {
    await world.t.gate.admin.setEndpoint({ partnerId: world.t.partner.id, mode: 'test' }, { url: null, secret: null });
    await bought(world);
    assert.deepEqual(types(await listed(world)), BOUGHT);
    assert.deepEqual(world.t.deliveries(), []);
  }),
  httpLaw(TOPIC, 'GET /v1/events pages newest first, both ways, by the id of an event', async (world) => {
    for (let each = 0; each < 2; each += 1) await bought(world);
    const all = await listed(world, '?limit=100');
    assert.equal(all.length, 6);
    const seen: Members[] = [];
    for (let query = '?limit=2'; ;) {
      const answer = expectStatus(await list(world, query), 200);
      seen.push(...itemsOf(answer));
      if (answer.json['has_more'] === false) break;
      query = `?limit=2&starting_after=${textOf(itemsOf(answer).at(-1) ?? {}, 'id')}`;
    }
    assert.deepEqual(seen, all);
    const before = await listed(world, `?limit=2&ending_before=${textOf(all[4] ?? {}, 'id')}`);
    assert.deepEqual(before, all.slice(2, 4));
    assert.equal((await list(world)).json['url'], '/v1/events');
  }),
  httpLaw(TOPIC, 'GET /v1/events filters by type, session and time of creation', async (world) => {
    const first = await bought(world);
    await world.t.clock.advance('1h');
    const second = textOf(await open(world), 'id');
    expectStatus(await cancel(world, second), 200);
    assert.deepEqual(types(await listed(world, `?session_id=${first}`)), BOUGHT);
    assert.deepEqual(types(await listed(world, `?session_id=${second}&type=gate_session.created`)), [
      'gate_session.created',
    ]);
    assert.deepEqual(types(await listed(world, '?type=gate_session.expired')), []);
    assert.deepEqual(types(await listed(world, '?created_before=2030-01-01T00:00:01Z')), ['gate_session.created']);
    const later = await listed(world, '?created_after=2030-01-01T01:00:00Z');
    assert.deepEqual(types(later), ['gate_session.cancelled', 'gate_session.created']);
    assert.deepEqual(await listed(world, '?session_id=nobody'), []);
  }),
  httpLaw(
    TOPIC,
    'GET /v1/events answers 400 to a type there is not, a limit out of bounds and other parameters',
    async (world) => {
      for (const query of ['?type=gate_session', '?limit=0', '?limit=101', '?created_after=soon', '?session_id=%00'])
        expectRefusal(await list(world, query), 400, 'validation_failed');
      expectRefusal(await list(world, '?status=open'), 400, 'unknown_parameter');
      expectRefusal(await list(world, '?starting_after=a&ending_before=b'), 400, 'validation_failed');
    },
  ),
  httpLaw(
    TOPIC,
    "events answer 404 event_not_found to an unknown or malformed id or cursor, another partner's and the other mode's",
    async (world) => {
      await admitRival(world);
      await open(world);
      await open(world, {}, { mode: 'live' });
      const [own] = await listed(world);
      const [live] = await listed(world, '', { mode: 'live' });
      const id = textOf(own ?? {}, 'id');
      for (const one of [
        textOf(live ?? {}, 'id'),
        '00000000-0000-4000-8000-000000000000',
        'x',
        '%00',
        id.toUpperCase(),
      ]) {
        expectRefusal(await read(world, one), 404, 'event_not_found');
        for (const cursor of ['starting_after', 'ending_before'])
          expectRefusal(await list(world, `?${cursor}=${one}`), 404, 'event_not_found');
      }
      expectRefusal(await read(world, id, { key: RIVAL_SECRET }), 404, 'event_not_found');
      expectRefusal(await read(world, id, { mode: 'live' }), 404, 'event_not_found');
      expectRefusal(await list(world, `?starting_after=${id}`, { key: RIVAL_SECRET }), 404, 'event_not_found');
      assert.deepEqual(await listed(world, '', { key: RIVAL_SECRET }), []);
      assert.equal((await listed(world, '', { key: SECRET })).length, 1);
    },
  ),
];
