import assert from 'node:assert/strict';
import {
  createRail,
  expectStatus,
  freshKey,
  httpLaw,
  type HttpSubject,
  type Law,
  PAYOUT,
  type RailNoun,
  SECRET,
  simulateRail,
  textOf,
  WALLET,
} from '../kit.js';
import { arrayOf } from './array-of.js';
import { OBJECT_ID, TIME } from './patterns.js';

const TOPIC = 'HTTP: the shape of pay-ins and pay-outs';

const RAILS: readonly RailNoun[] = ['pay_in', 'pay_out'];

export const railShapes: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'a pay-in names the account to pay into, in full and with a reference of its own', async (world) => {
    const references = new Set<string>();
    for (const _ of [1, 2]) {
      const { json } = expectStatus(await createRail(world, 'pay_in', { metadata: { b: 1, a: 2 } }), 201);
      const [instructions] = arrayOf([json['instructions']]);
      assert.deepEqual(
        [instructions?.['type'], instructions?.['amount'], instructions?.['currency']],
        ['bank_transfer', '100.00', 'EUR'],
      );
      assert.match(textOf(instructions ?? {}, 'expires_at'), TIME);
      references.add(textOf(instructions ?? {}, 'reference'));
      assert.deepEqual([json['object'], json['flow'], json['wallet_address']], ['pay_in', 'on_ramp', WALLET]);
      assert.equal(JSON.stringify(json['metadata']), '{"b":1,"a":2}');
    }
    assert.equal(references.size, 2);
  }),
  httpLaw(
    TOPIC,
    'a pay-out says where to send the crypto, and of the beneficiary neither account nor name',
    async (world) => {
      const { json, text } = expectStatus(await createRail(world, 'pay_out'), 201);
      const [deposit] = arrayOf([json['deposit']]);
      assert.deepEqual([deposit?.['asset'], deposit?.['network']], ['USDC', 'base']);
      assert.deepEqual([json['object'], json['flow'], json['refund_address']], ['pay_out', 'off_ramp', WALLET]);
      for (const secret of [PAYOUT.iban, PAYOUT.iban.slice(4), PAYOUT.account_holder])
        assert.ok(!text.includes(secret));
    },
  ),
  ...RAILS.flatMap((rail) => {
    const path = `/v1/rails/${rail}s`;
    return [
      httpLaw(
        TOPIC,
        `a ${rail} waits for its money with null where nothing is known, and is retrieved and listed the same`,
        async (world) => {
          const { json } = expectStatus(await createRail(world, rail), 201);
          assert.match(textOf(json, 'id'), OBJECT_ID);
          const { status, payment_method, failure, user_reference, completed_at, mode } = json;
          assert.deepEqual(
            { status, payment_method, failure, user_reference, completed_at, mode, metadata: json['metadata'] },
            {
              status: 'requires_action',
              payment_method: 'bank_transfer',
              failure: null,
              user_reference: null,
              completed_at: null,
              mode: 'test',
              metadata: {},
            },
          );
          const seen = await world.send('GET', `${path}/${textOf(json, 'id')}`, { key: SECRET });
          assert.deepEqual(expectStatus(seen, 200).json, json);
          const listed = expectStatus(await world.send('GET', path, { key: SECRET }), 200).json;
          assert.deepEqual(listed, { object: 'list', data: [json], has_more: false, url: path });
        },
      ),
      httpLaw(TOPIC, `a ${rail} has a transaction of no session, which completes with it`, async (world) => {
        const { json } = expectStatus(await createRail(world, rail), 201);
        const done = expectStatus(await simulateRail(world, json['id'], 'succeed'), 200).json;
        assert.deepEqual([done['id'], done['status']], [json['id'], 'succeeded']);
        assert.match(textOf(done, 'completed_at'), TIME);
        const found = await world.send('GET', `/v1/transactions/${textOf(json, 'tx_refid')}`, { key: SECRET });
        const { json: transaction } = expectStatus(found, 200);
        const { session_id, intent_id, status, source, destination, completed_at } = transaction;
        assert.deepEqual(
          { session_id, intent_id, status, source, destination, completed_at },
          {
            session_id: null,
            intent_id: json['id'],
            status: 'completed',
            source: done['source'],
            destination: done['destination'],
            completed_at: done['completed_at'],
          },
        );
      }),
      httpLaw(
        TOPIC,
        `a ${rail} is announced at every change of its status, with the whole of it and no sequence`,
        async (world) => {
          const { json } = expectStatus(await createRail(world, rail), 201);
          const moving = expectStatus(await simulateRail(world, json['id'], 'processing'), 200).json;
          const done = expectStatus(await simulateRail(world, json['id'], 'succeed'), 200).json;
          await world.t.gate.runDue();
          const updates = world.t.deliveries().filter(({ type }) => type === `${rail}.updated`);
          assert.deepEqual(
            updates.map(({ data }) => data),
            [json, moving, done],
          );
          assert.ok(updates.every(({ sequence, verified }) => sequence === null && verified));
        },
      ),
      httpLaw(TOPIC, `a ${rail} asked for again under its key is the same bytes, whatever its state`, async (world) => {
        const idempotencyKey = freshKey();
        const first = expectStatus(await createRail(world, rail, {}, { idempotencyKey }), 201);
        const quote_id = first.json['quote_id'];
        expectStatus(await simulateRail(world, first.json['id'], 'fail'), 200);
        await world.t.clock.advance('1h');
        const again = expectStatus(await createRail(world, rail, { quote_id }, { idempotencyKey }), 201);
        assert.equal(again.text, first.text);
      }),
      httpLaw(TOPIC, `${path} goes in pages, newest first, both ways`, async (world) => {
        const made: unknown[] = [];
        for (let n = 0; n < 3; n += 1) made.unshift(expectStatus(await createRail(world, rail), 201).json['id']);
        const page = async (query: string) => {
          const { json } = expectStatus(await world.send('GET', `${path}?${query}`, { key: SECRET }), 200);
          return [arrayOf(json['data']).map(({ id }) => id), json['has_more']];
        };
        assert.deepEqual(await page('limit=2'), [made.slice(0, 2), true]);
        assert.deepEqual(await page(`starting_after=${String(made[0])}`), [made.slice(1), false]);
        assert.deepEqual(await page(`limit=1&ending_before=${String(made[2])}`), [[made[1]], true]);
        assert.deepEqual(await page('created_before=2000-01-01'), [[], false]);
        assert.deepEqual(await page('created_after=2000-01-01'), [made, false]);
      }),
    ];
  }),
];
