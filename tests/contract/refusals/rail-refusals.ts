import assert from 'node:assert/strict';
import { TEST_KEYS } from '@gateramp/testing';
import {
  admitRival,
  createQuote,
  createRail,
  expectRefusal,
  expectStatus,
  failedFields,
  freshKey,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  PAYOUT,
  type RailNoun,
  RIVAL_SECRET,
  SECRET,
  simulateRail,
  textOf,
} from '../kit.js';

const TOPIC = 'HTTP: refusals of pay-ins and pay-outs';

const RAILS: readonly { readonly rail: RailNoun; readonly side: string; readonly otherSide: string }[] = [
  { rail: 'pay_in', side: 'on_ramp', otherSide: 'off_ramp' },
  { rail: 'pay_out', side: 'off_ramp', otherSide: 'on_ramp' },
];

const FIELDS: readonly { readonly rail: RailNoun; readonly body: Members; readonly failed: readonly string[] }[] = [
  { rail: 'pay_in', body: { wallet_address: null }, failed: ['wallet_address'] },
  { rail: 'pay_in', body: { wallet_address: 'x'.repeat(129) }, failed: ['wallet_address'] },
  { rail: 'pay_in', body: { metadata: [] }, failed: ['metadata'] },
  { rail: 'pay_in', body: { metadata: { text: 'x'.repeat(16_384) } }, failed: ['metadata'] },
  { rail: 'pay_in', body: { user_reference: 'x'.repeat(129) }, failed: ['user_reference'] },
  { rail: 'pay_out', body: { refund_address: null }, failed: ['refund_address'] },
  { rail: 'pay_out', body: { beneficiary: null }, failed: ['beneficiary'] },
  {
    rail: 'pay_out',
    body: { beneficiary: { ...PAYOUT, iban: 'DE89370400440532013001' } },
    failed: ['beneficiary.iban'],
  },
  { rail: 'pay_out', body: { beneficiary: { ...PAYOUT, type: 'card' } }, failed: ['beneficiary.type'] },
  { rail: 'pay_out', body: { beneficiary: { ...PAYOUT, account_holder: '' } }, failed: ['beneficiary.account_holder'] },
];

/** A mixed-case address with a wrong checksum (EIP-55). */
const BAD_CHECKSUM = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'.replace('5aAe', '5aae');

const NOWHERE = '0'.repeat(24);

export const railRefusals: readonly Law<HttpSubject>[] = [
  ...RAILS.flatMap(({ rail, side, otherSide }) => {
    const path = `/v1/rails/${rail}s`;
    return [
      httpLaw(
        TOPIC,
        `POST ${path} answers 404 quote_not_found to a quote that is unknown, foreign or of the other mode`,
        async (world) => {
          await admitRival(world);
          const foreign = expectStatus(await createQuote(world, { side }, { key: RIVAL_SECRET }), 201).json['id'];
          const live = expectStatus(await createQuote(world, { side }, { mode: 'live' }), 201).json['id'];
          for (const quote_id of [NOWHERE, 'nonsense', foreign, live])
            expectRefusal(await createRail(world, rail, { quote_id }), 404, 'quote_not_found');
        },
      ),
      httpLaw(TOPIC, `POST ${path} answers 409 quote_already_used to a quote that has been taken up`, async (world) => {
        const first = expectStatus(await createRail(world, rail), 201).json;
        expectRefusal(await createRail(world, rail, { quote_id: first['quote_id'] }), 409, 'quote_already_used');
        const quote = await world.send('GET', `/v1/quotes/${textOf(first, 'quote_id')}`, { key: SECRET });
        assert.equal(quote.json['status'], 'used');
      }),
      httpLaw(
        TOPIC,
        `POST ${path} takes a quote up through its last millisecond, and answers 422 quote_expired after it`,
        async (world) => {
          for (const late of [0, 1]) {
            const quote = expectStatus(await createQuote(world, { side }), 201).json;
            await world.t.clock.advance(Date.parse(textOf(quote, 'expires_at')) + late - world.t.clock.now('test'));
            const answer = await createRail(world, rail, { quote_id: quote['id'] });
            if (late === 0) expectStatus(answer, 201);
            else expectRefusal(answer, 422, 'quote_expired');
          }
        },
      ),
      httpLaw(TOPIC, `POST ${path} answers 422 corridor_not_supported to a quote for anything else`, async (world) => {
        const others: readonly Members[] = [
          { side: otherSide },
          { side: 'swap', source_asset: 'ETH', payment_method: 'crypto' },
          ...(rail === 'pay_in' ? [{ side, payment_method: 'card' }] : []),
        ];
        for (const other of others) {
          const quote = expectStatus(await createQuote(world, other), 201).json;
          expectRefusal(await createRail(world, rail, { quote_id: quote['id'] }), 422, 'corridor_not_supported');
          const kept = await world.send('GET', `/v1/quotes/${textOf(quote, 'id')}`, { key: SECRET });
          assert.equal(kept.json['status'], 'open');
        }
      }),
      httpLaw(
        TOPIC,
        `POST ${path} answers 422 wallet_address_invalid to an invalid address, and leaves quote and key to be used`,
        async (world) => {
          const quote_id = expectStatus(await createQuote(world, { side }), 201).json['id'];
          const idempotencyKey = freshKey();
          const field = rail === 'pay_in' ? 'wallet_address' : 'refund_address';
          for (const address of ['nowhere', BAD_CHECKSUM, `0x${'0'.repeat(40)}`])
            expectRefusal(
              await createRail(world, rail, { quote_id, [field]: address }, { idempotencyKey }),
              422,
              'wallet_address_invalid',
            );
          expectStatus(await createRail(world, rail, { quote_id }, { idempotencyKey }), 201);
        },
      ),
      httpLaw(
        TOPIC,
        `POST ${path} answers 400 and names every field that is missing or wrong, unknown ones too`,
        async (world) => {
          const quote_id = NOWHERE;
          for (const { body, failed } of FIELDS.filter((one) => one.rail === rail)) {
            const answer = await createRail(world, rail, { quote_id, ...body });
            expectRefusal(answer, 400, 'validation_failed');
            assert.deepEqual(failedFields(answer), failed);
          }
          expectRefusal(await createRail(world, rail, { quote_id, payment_details: {} }), 400, 'unknown_field');
          const none = await world.send('POST', path, { key: SECRET, idempotencyKey: freshKey(), body: {} });
          const own =
            rail === 'pay_in' ? ['quote_id', 'wallet_address'] : ['beneficiary', 'quote_id', 'refund_address'];
          expectRefusal(none, 400, 'validation_failed');
          assert.deepEqual(failedFields(none), own);
        },
      ),
      httpLaw(
        TOPIC,
        `${path} answers 404 intent_not_found to an id or cursor that is unknown, foreign, of the other mode or the other noun`,
        async (world) => {
          const mine = expectStatus(await createRail(world, rail), 201).json;
          const noun = expectStatus(await createRail(world, rail === 'pay_in' ? 'pay_out' : 'pay_in'), 201).json;
          await admitRival(world);
          const id = textOf(mine, 'id');
          const strangers = [
            { id, sent: { key: RIVAL_SECRET } },
            { id, sent: { mode: 'live', key: TEST_KEYS.secret.live } as const },
            { id: NOWHERE, sent: { key: SECRET } },
            { id: 'nonsense', sent: { key: SECRET } },
            { id: textOf(noun, 'id'), sent: { key: SECRET } },
          ];
          for (const { id: asked, sent } of strangers) {
            expectRefusal(await world.send('GET', `${path}/${asked}`, sent), 404, 'intent_not_found');
            expectRefusal(await world.send('POST', `${path}/${asked}/cancel`, sent), 404, 'intent_not_found');
            expectRefusal(await world.send('GET', `${path}?starting_after=${asked}`, sent), 404, 'intent_not_found');
          }
          assert.equal((await world.send('GET', `${path}/${id}`, { key: SECRET })).json['status'], 'requires_action');
        },
      ),
      httpLaw(
        TOPIC,
        `${path}/{id}/cancel answers 409 intent_not_confirmable unless the payment waits for its money`,
        async (world) => {
          for (const scenario of ['processing', 'succeed', 'fail', null]) {
            const { id } = expectStatus(await createRail(world, rail), 201).json;
            const asked = () => world.send('POST', `${path}/${String(id)}/cancel`, { key: SECRET });
            if (scenario === null) expectStatus(await asked(), 200);
            else expectStatus(await simulateRail(world, id, scenario), 200);
            expectRefusal(await asked(), 409, 'intent_not_confirmable');
          }
        },
      ),
    ];
  }),
  httpLaw(
    TOPIC,
    'pay-ins and pay-outs answer 403 rails_api_not_enabled without the entitlement, before key, body and id',
    async (world) => {
      for (const { rail } of RAILS) {
        const path = `/v1/rails/${rail}s`;
        const unusable = { key: SECRET, headers: { 'idempotency-key': 'not usable' }, body: { nonsense: true } };
        expectRefusal(await world.send('POST', path, unusable), 403, 'rails_api_not_enabled');
        for (const asked of [path, `${path}?limit=0`, `${path}/${NOWHERE}`])
          expectRefusal(await world.send('GET', asked, { key: SECRET }), 403, 'rails_api_not_enabled');
        expectRefusal(
          await world.send('POST', `${path}/${NOWHERE}/cancel`, { key: SECRET }),
          403,
          'rails_api_not_enabled',
        );
      }
    },
    { partner: { entitlements: ['swap', 'pools'] } },
  ),
  httpLaw(
    TOPIC,
    'simulate over rails answers 404 intent_not_found to anything but a payment of the caller, an intent of a checkout included',
    simulatesNothingElse,
  ),
];

async function simulatesNothingElse(world: HttpWorld): Promise<void> {
  await admitRival(world);
  const { id } = expectStatus(await createRail(world, 'pay_in'), 201).json;
  expectRefusal(await simulateRail(world, id, 'succeed', { key: RIVAL_SECRET }), 404, 'intent_not_found');
  expectRefusal(await simulateRail(world, NOWHERE, 'succeed'), 404, 'intent_not_found');
  const session = await world.send('POST', '/v1/gate_sessions', {
    key: SECRET,
    idempotencyKey: freshKey(),
    body: { amount: '100.00', currency: 'EUR', return_url: 'https://shop.example/done' },
  });
  const checkout = await world.send('POST', `/v1/test_helpers/gate_sessions/${textOf(session.json, 'id')}/simulate`, {
    key: SECRET,
    body: { scenario: 'processing' },
  });
  const intent = textOf(expectStatus(checkout, 200).json, 'id');
  expectRefusal(await simulateRail(world, intent, 'succeed'), 404, 'intent_not_found');
  expectRefusal(await simulateRail(world, id, 'decline'), 400, 'validation_failed');
}
