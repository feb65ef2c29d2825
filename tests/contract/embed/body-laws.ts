import assert from 'node:assert/strict';
import {
  ATTEMPT,
  buyer,
  CARD,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  INTENT_BODY,
  type Law,
  type Members,
  open,
  savedMethod,
  SECRET,
  simulate,
  textOf,
  waitingIntent,
  WALLET,
} from '../kit.js';

const TOPIC = 'HTTP: bodies of the embed calls and test helpers';

interface BodyRule {
  readonly field: string;
  readonly bad: readonly unknown[];
}

const x = (count: number) => 'x'.repeat(count);
const TYPES: readonly unknown[] = [5, true, [], {}];

/** Fields that quotes and intents share. */
const SHARED: readonly BodyRule[] = [
  { field: 'flow', bad: ['', 'buy', null, ...TYPES] },
  { field: 'amount', bad: ['', '0', '-1', '1e3', '1.123456789', '9'.repeat(41), 100, null, ...TYPES] },
  { field: 'currency', bad: ['', 'EU', 'EURO', null, ...TYPES] },
  { field: 'source_token', bad: ['', 'U', x(13), 'US-DC', ...TYPES] },
  { field: 'source_network', bad: ['', 'b', x(31), 'ba se', ...TYPES] },
  { field: 'target_token', bad: ['', 'U', x(13), 'US-DC', ...TYPES] },
  { field: 'target_network', bad: ['', 'b', x(31), 'ba se', ...TYPES] },
  { field: 'payment_method', bad: ['', 'cash', 'CARD', ...TYPES] },
  { field: 'country_code', bad: ['', 'D', 'DEU', 'D1', ...TYPES] },
];

const INTENT_ONLY: readonly BodyRule[] = [
  { field: 'quote_id', bad: ['', x(256), ...TYPES] },
  { field: 'wallet_address', bad: ['', x(129), ...TYPES] },
  { field: 'refund_address', bad: ['', x(129), ...TYPES] },
  { field: 'payment_details', bad: ['card', 5, true, [], {}, { ...CARD, cvc: undefined }, { ...CARD, pin: '1' }] },
  {
    field: 'payment_details',
    bad: ['', '424242424242424a', '1'.repeat(11), '1'.repeat(20), 4242424242424242, null].map((card_number) => ({
      ...CARD,
      card_number,
    })),
  },
  {
    field: 'payment_details',
    bad: ['', '13/30', '00/30', '1/30', '12/2030', '12-30', null].map((expiry) => ({ ...CARD, expiry })),
  },
  { field: 'payment_details', bad: ['', '12', '12345', 'abc', 123, null].map((cvc) => ({ ...CARD, cvc })) },
  {
    field: 'payment_details',
    bad: ['yes', 1, null].map((save) => ({ ...CARD, save })),
  },
  {
    field: 'payment_details',
    bad: [
      ...['', x(256), 5, null].map((saved_method) => ({ saved_method })),
      { saved_method: 'a.b', cvc: '12' },
      { saved_method: 'a.b', save: true },
      { saved_method: 'a.b', ...CARD },
      { provider: 'sandbox', token: 'tok_succeeds', save: true },
    ],
  },
  {
    field: 'payout_details',
    bad: [
      'iban',
      {},
      [],
      { type: 'iban', iban: 'DE', account_holder: 'A' },
      { type: '', iban: 'DE89370400440532013000', account_holder: 'A' },
    ],
  },
  {
    field: 'payout_details',
    bad: [
      { type: 'iban', iban: 'DE89370400440532013000', account_holder: '' },
      { type: 'iban', iban: 'DE89370400440532013000', account_holder: x(141) },
    ],
  },
];

const KYC = { first_name: 'A', last_name: 'B', date_of_birth: '1990-01-01', document_number: 'C' } as const;

const CONFIRMATIONS: readonly unknown[] = [
  {},
  { action: null },
  { action: '' },
  { action: 'pay' },
  { action: 5 },
  { action: ['kyc'] },
  { action: '__proto__' },
  { action: 'constructor' },
  { action: 'payment_authentication' },
  { action: 'payment_authentication', code: '' },
  { action: 'payment_authentication', code: 0 },
  { action: 'payment_authentication', code: x(21) },
  { action: 'kyc' },
  { action: 'kyc', kyc: null },
  { action: 'kyc', kyc: {} },
  { action: 'kyc', kyc: [] },
  { action: 'kyc', kyc: { ...KYC, first_name: '' } },
  { action: 'kyc', kyc: { ...KYC, last_name: x(101) } },
  { action: 'kyc', kyc: { ...KYC, document_number: 7 } },
  { action: 'kyc', kyc: { ...KYC, date_of_birth: '01.01.1990' } },
  { action: 'kyc', kyc: { ...KYC, date_of_birth: '1990-13-41' } },
  { action: 'kyc', kyc: { ...KYC, date_of_birth: '1990-02-30' } },
];

const STRAY: readonly string[] = [
  '{"action":"crypto_deposit","code":"000000"}',
  '{"action":"payment_authentication","code":"000000","kyc":null}',
  `{"action":"kyc","kyc":${JSON.stringify({ ...KYC, ssn: '1' })}}`,
  `{"action":"kyc","kyc":${JSON.stringify(KYC).slice(0, -1)},"__proto__":{}}}`,
  '{"action":"crypto_deposit","__proto__":{}}',
];

/** Closed objects within the intent body, each with an unknown member. */
const NESTED_STRAY: readonly { readonly field: string; readonly body: string }[] = [
  'pin',
  '__proto__',
  'constructor',
  'toString',
].flatMap((name) => [
  {
    field: `payment_details.${name}`,
    body: nested('payment_details', `${JSON.stringify(CARD).slice(0, -1)},"${name}":{}}`),
  },
  {
    field: `payout_details.${name}`,
    body: nested('payout_details', `{"type":"iban","iban":"DE89370400440532013000","account_holder":"A","${name}":{}}`),
  },
]);

function nested(field: string, text: string): string {
  const { payment_details: _, ...rest } = INTENT_BODY;
  return `${JSON.stringify(rest).slice(0, -1)},"${field}":${text}}`;
}

const SECONDS_BAD: readonly unknown[] = [0, -1, 0.5, 1.5, 315_360_001, 1e300, '60', '', null, true, [], {}, undefined];

async function refusesEach(world: HttpWorld, path: string, base: Members, rules: readonly BodyRule[]): Promise<void> {
  const { token } = await buyer(world);
  for (const { field, bad } of rules) {
    for (const value of bad) {
      const answer = await world.send('POST', path, { token, body: { ...base, [field]: value } });
      expectRefusal(answer, 400, 'code' in answer.json ? textOf(answer.json, 'code') : '');
      assert.ok(
        failedFields(answer).every((failed) => failed === field || failed.startsWith(`${field}.`)),
        answer.text,
      );
    }
  }
}

export const embedBodyLaws: readonly Law<HttpSubject>[] = [
  httpLaw(TOPIC, 'POST /v1/embed/quotes answers 400 naming the field that is not as documented', (world) =>
    refusesEach(world, '/v1/embed/quotes', ATTEMPT, SHARED),
  ),
  httpLaw(TOPIC, 'POST /v1/embed/intents answers 400 naming the field that is not as documented', (world) =>
    refusesEach(world, '/v1/embed/intents', INTENT_BODY, [...SHARED, ...INTENT_ONLY]),
  ),
  httpLaw(TOPIC, 'POST /v1/embed/quotes and intents take null for what a flow does not use', async (world) => {
    const nulls = { source_token: null, source_network: null, country_code: null };
    const { token } = await buyer(world);
    expectStatus(
      await world.send('POST', '/v1/embed/quotes', { token, body: { ...ATTEMPT, ...nulls, payment_method: null } }),
      200,
    );
    const intent = { ...INTENT_BODY, ...nulls, quote_id: null, refund_address: null, payout_details: null };
    expectStatus(await world.send('POST', '/v1/embed/intents', { token, body: intent }), 201);
  }),
  httpLaw(
    TOPIC,
    'POST /v1/embed/quotes and intents answer 400 unknown_field to an unknown field, however deep',
    async (world) => {
      const { token } = await buyer(world);
      for (const name of ['fee', 'wallet', 'payment_details', '__proto__', 'constructor']) {
        const body = `${JSON.stringify(ATTEMPT).slice(0, -1)},"${name}":{}}`;
        expectRefusal(await world.send('POST', '/v1/embed/quotes', { token, body }), 400, 'unknown_field');
      }
      for (const { field, body } of NESTED_STRAY) {
        const answer = await world.send('POST', '/v1/embed/intents', { token, body });
        expectRefusal(answer, 400, 'unknown_field');
        assert.deepEqual(failedFields(answer), [field]);
      }
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents/{id}/confirm answers 400 validation_failed to what confirms nothing',
    async (world) => {
      const { token } = await buyer(world);
      const path = `/v1/embed/intents/${textOf(await waitingIntent(world, token), 'id')}/confirm`;
      for (const body of CONFIRMATIONS)
        expectRefusal(await world.send('POST', path, { token, body }), 400, 'validation_failed');
      expectRefusal(await world.send('POST', path, { token }), 400, 'validation_failed');
      expectStatus(
        await world.send('POST', path, { token, body: { action: 'payment_authentication', code: '000000' } }),
        200,
      );
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/embed/intents/{id}/confirm answers 400 unknown_field to a field of another action or of none',
    async (world) => {
      const { token } = await buyer(world);
      const path = `/v1/embed/intents/${textOf(await waitingIntent(world, token), 'id')}/confirm`;
      for (const body of STRAY) expectRefusal(await world.send('POST', path, { token, body }), 400, 'unknown_field');
    },
  ),
  httpLaw(TOPIC, 'POST /v1/embed/intents/{id}/cancel answers 400 unknown_field to any field', async (world) => {
    const { token } = await buyer(world);
    const path = `/v1/embed/intents/${textOf(await waitingIntent(world, token), 'id')}/cancel`;
    expectRefusal(await world.send('POST', path, { token, body: { reason: 'x' } }), 400, 'unknown_field');
    expectStatus(await world.send('POST', path, { token, body: {} }), 200);
  }),
  httpLaw(TOPIC, 'POST /v1/embed/payment_methods/{id}/remove answers 400 unknown_field to any field', async (world) => {
    const { token, id } = await savedMethod(world);
    const path = `/v1/embed/payment_methods/${id}/remove`;
    expectRefusal(await world.send('POST', path, { token, body: { reason: 'x' } }), 400, 'unknown_field');
    expectStatus(await world.send('POST', path, { token, body: {} }), 200);
  }),
  httpLaw(
    TOPIC,
    'POST /v1/test_helpers/clock/advance takes whole seconds from 1 to ten years, and answers 400 validation_failed to any other',
    async (world) => {
      const path = '/v1/test_helpers/clock/advance';
      for (const seconds of SECONDS_BAD)
        expectRefusal(await world.send('POST', path, { key: SECRET, body: { seconds } }), 400, 'validation_failed');
      expectRefusal(
        await world.send('POST', path, { key: SECRET, body: { seconds: 1, minutes: 1 } }),
        400,
        'unknown_field',
      );
      expectRefusal(await world.send('POST', path, { key: SECRET }), 400, 'validation_failed');
      const before = world.t.clock.now('test');
      for (const seconds of [1, 315_360_000])
        expectStatus(await world.send('POST', path, { key: SECRET, body: { seconds } }), 200);
      assert.equal(world.t.clock.now('test') - before, 315_360_001_000);
    },
  ),
  httpLaw(
    TOPIC,
    'POST /v1/test_helpers/gate_sessions/{id}/simulate answers 400 validation_failed to a scenario that does not exist',
    async (world) => {
      const id = textOf(await open(world), 'id');
      for (const scenario of ['', 'win', 'SUCCEED', '__proto__'])
        expectRefusal(await simulate(world, id, scenario), 400, 'validation_failed');
      const path = `/v1/test_helpers/gate_sessions/${id}/simulate`;
      expectRefusal(await world.send('POST', path, { key: SECRET }), 400, 'validation_failed');
      expectRefusal(
        await world.send('POST', path, { key: SECRET, body: { scenario: 'succeed', wallet: WALLET } }),
        400,
        'unknown_field',
      );
    },
  ),
];
