import assert from 'node:assert/strict';
import {
  ACH_PAYOUT,
  anonymousToken,
  attempt,
  ATTEMPT,
  buyer,
  CARD,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type HttpWorld,
  type Law,
  type Members,
  membersOf,
  PAYOUT,
  SECRET,
  SELL,
  SELL_FOR_USD,
  SWAP,
  textOf,
  WALLET,
} from '../kit.js';
import { begin, delivered } from '../flows/scene.js';
import { closeSession, CLOSINGS, SHORT_SESSIONS } from './closed-session.js';

const TOPIC = 'HTTP: what is refused before an attempt is made';

/** The refused attempt was not made: no intent, no transaction, no webhook, and the next attempt is the first. */
async function expectUntouched(world: HttpWorld, token: string): Promise<void> {
  assert.equal(expectStatus(await world.send('GET', '/v1/embed/session', { token }), 200).json['intent_id'], null);
  assert.deepEqual(expectStatus(await world.send('GET', '/v1/transactions', { key: SECRET }), 200).json['data'], []);
  await world.t.gate.runDue();
  assert.deepEqual(delivered(world), ['created']);
  assert.equal((await begin(world, token))['attempt'], 1);
}

/** The examples of EIP-55. */
const CHECKSUMMED = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

const MALFORMED = [
  'bc1q',
  '0x',
  `0x${'1'.repeat(39)}`,
  `0x${'1'.repeat(41)}`,
  `0X${'1'.repeat(40)}`,
  ` 0x${'1'.repeat(40)}`,
  `0x${'g'.repeat(40)}`,
  // One letter of the first mixed-case example has the other case.
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
  '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  `0x${'1'.repeat(32)}dEaD0001`,
];

const BURN_ADDRESSES = [`0x${'0'.repeat(40)}`, `0x${'0'.repeat(36)}dEaD`];

const FLOWS: readonly {
  readonly flow: string;
  readonly body: Members;
  readonly wallet: 'wallet_address' | 'refund_address';
}[] = [
  { flow: 'on_ramp', body: {}, wallet: 'wallet_address' },
  { flow: 'off_ramp', body: SELL, wallet: 'refund_address' },
  { flow: 'swap', body: SWAP, wallet: 'wallet_address' },
  { flow: 'swap', body: SWAP, wallet: 'refund_address' },
];

const wallets: readonly Law<HttpSubject>[] = FLOWS.flatMap(({ flow, body, wallet }) => [
  httpLaw(
    TOPIC,
    `${flow} answers 422 wallet_address_invalid to a ${wallet} that is invalid on its network, or whose checksum is wrong`,
    async (world) => {
      const { token } = await buyer(world);
      for (const address of MALFORMED)
        expectRefusal(await attempt(world, token, { ...body, [wallet]: address }), 422, 'wallet_address_invalid');
      await expectUntouched(world, token);
    },
  ),
  httpLaw(TOPIC, `${flow} answers 422 wallet_address_invalid to a ${wallet} that is a burn address`, async (world) => {
    const { token } = await buyer(world);
    for (const address of BURN_ADDRESSES) {
      const answer = await attempt(world, token, { ...body, [wallet]: address });
      expectRefusal(answer, 422, 'wallet_address_invalid');
      assert.match(textOf(answer.json, 'message'), new RegExp(`^${wallet} is a burn address`));
    }
    await expectUntouched(world, token);
  }),
  httpLaw(TOPIC, `${flow} takes a ${wallet} with a right EIP-55 checksum, or of one case`, async (world) => {
    for (const address of [...CHECKSUMMED, `0x${'ab'.repeat(20)}`, `0x${'AB'.repeat(20)}`]) {
      const { token } = await buyer(world);
      assert.notEqual((await begin(world, token, { ...body, [wallet]: address }))['status'], 'failed');
    }
  }),
]);

/** Fields that a flow does not use, each with a value that another flow accepts. */
const UNUSED: readonly { readonly flow: string; readonly body: Members; readonly unused: Members }[] = [
  {
    flow: 'on_ramp',
    body: {},
    unused: { source_token: 'ETH', source_network: 'ethereum', refund_address: WALLET, payout_details: PAYOUT },
  },
  {
    flow: 'off_ramp',
    body: SELL,
    unused: { target_token: 'USDC', target_network: 'base', wallet_address: WALLET, payment_details: CARD },
  },
  { flow: 'swap', body: SWAP, unused: { payment_details: CARD, payout_details: PAYOUT } },
];

const unused: readonly Law<HttpSubject>[] = UNUSED.map(({ flow, body, unused: fields }) =>
  httpLaw(
    TOPIC,
    `${flow} answers 400 validation_failed to each field it does not use, and takes null for it`,
    async (world) => {
      const { token } = await buyer(world);
      for (const [field, value] of Object.entries(fields)) {
        const answer = await attempt(world, token, { ...body, [field]: value });
        expectRefusal(answer, 400, 'validation_failed');
        assert.deepEqual(failedFields(answer), [field]);
      }
      const all = await attempt(world, token, { ...body, ...fields });
      assert.deepEqual(failedFields(all), Object.keys(fields).sort());
      await expectUntouched(world, token);
      const other = await buyer(world);
      const nulls = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));
      expectStatus(await attempt(world, other.token, { ...body, ...nulls }), 201);
    },
  ),
);

const MISSING: readonly { readonly when: string; readonly body: Members; readonly fields: readonly string[] }[] = [
  { when: 'a sale without refund_address', body: { ...SELL, refund_address: null }, fields: ['refund_address'] },
  { when: 'a swap without refund_address', body: { ...SWAP, refund_address: null }, fields: ['refund_address'] },
  {
    when: 'a swap without refund_address and with a card',
    body: { ...SWAP, refund_address: null, payment_details: CARD },
    fields: ['payment_details', 'refund_address'],
  },
  { when: 'a card without its fields', body: { payment_details: null }, fields: ['payment_details'] },
  {
    when: 'a card without its fields where the method is left to the provider',
    body: { payment_method: null, payment_details: null },
    fields: ['payment_details'],
  },
  {
    when: 'a card without its expiry and cvc',
    body: { payment_details: { card_number: CARD.card_number } },
    fields: ['payment_details.cvc', 'payment_details.expiry'],
  },
];

const missing: readonly Law<HttpSubject>[] = MISSING.map(({ when, body, fields }) =>
  httpLaw(TOPIC, `answers 400 validation_failed to ${when}, naming ${fields.join(' and ')}`, async (world) => {
    const { token } = await buyer(world);
    const answer = await attempt(world, token, body);
    expectRefusal(answer, 400, 'validation_failed');
    assert.deepEqual(failedFields(answer), fields);
    await expectUntouched(world, token);
  }),
);

/** Valid except for one digit, two swapped digits, or another country. */
const WRONG_IBANS = [
  'DE89370400440532013001',
  'DE98370400440532013000',
  'DE89370400440532010300',
  'FR89370400440532013000',
  'DE00370400440532013000',
];
const RIGHT_IBANS = [
  'DE89370400440532013000',
  'DE89 3704 0044 0532 0130 00',
  'gb82west12345698765432',
  'NO9386011117947',
  'FR1420041010050500013M02606',
];

/** Each with the invalid field, and the text that no answer may contain. */
const WRONG_ACCOUNTS: readonly { readonly what: string; readonly payout: Members; readonly field: string }[] = [
  ...['021000020', '02100002', '0210000210', '000000000', '02100002a', '', null].map((routing_number) => ({
    what: `the routing number ${JSON.stringify(routing_number)}`,
    payout: { ...ACH_PAYOUT, routing_number },
    field: 'routing_number',
  })),
  ...['123', '123456789012345678', '1234-5678', '1234 5678', '', null].map((account_number) => ({
    what: `the account number ${JSON.stringify(account_number)}`,
    payout: { ...ACH_PAYOUT, account_number },
    field: 'account_number',
  })),
  { what: 'no routing number', payout: { ...ACH_PAYOUT, routing_number: undefined }, field: 'routing_number' },
  { what: 'no account number', payout: { ...ACH_PAYOUT, account_number: undefined }, field: 'account_number' },
  { what: 'no holder', payout: { ...ACH_PAYOUT, account_holder: undefined }, field: 'account_holder' },
  { what: 'an empty holder', payout: { ...ACH_PAYOUT, account_holder: '' }, field: 'account_holder' },
  { what: 'an IBAN next to an ACH account', payout: { ...ACH_PAYOUT, iban: PAYOUT.iban }, field: 'iban' },
  { what: 'an account of another kind', payout: { ...ACH_PAYOUT, type: 'swift' }, field: 'type' },
  { what: 'an IBAN in USD', payout: PAYOUT, field: 'type' },
];

const accounts: readonly Law<HttpSubject>[] = [
  ...WRONG_ACCOUNTS.map(({ what, payout, field }) =>
    httpLaw(TOPIC, `a sale for USD answers 400 validation_failed to ${what}, naming ${field}`, async (world) => {
      const { token } = await buyer(world, { currency: 'USD' });
      const answer = await attempt(world, token, { ...SELL_FOR_USD, payout_details: payout });
      expectRefusal(answer, 400, 'validation_failed');
      assert.deepEqual(failedFields(answer), [`payout_details.${field}`]);
      for (const secret of [ACH_PAYOUT.account_number, ACH_PAYOUT.account_holder, PAYOUT.iban])
        assert.equal(answer.text.includes(secret), false);
      assert.equal(expectStatus(await world.send('GET', '/v1/embed/session', { token }), 200).json['intent_id'], null);
      assert.equal((await begin(world, token, SELL_FOR_USD))['attempt'], 1);
    }),
  ),
  httpLaw(TOPIC, 'a sale for EUR answers 400 validation_failed to an ACH account, naming its type', async (world) => {
    const { token } = await buyer(world);
    const answer = await attempt(world, token, { ...SELL, payout_details: ACH_PAYOUT });
    expectRefusal(answer, 400, 'validation_failed');
    assert.deepEqual(failedFields(answer), ['payout_details.type']);
    assert.match(answer.text, /must be iban for payouts in EUR/);
    await expectUntouched(world, token);
  }),
  httpLaw(TOPIC, 'an IBAN account answers 400 validation_failed to each field that only ACH uses', async (world) => {
    const { token } = await buyer(world);
    const { routing_number, account_number } = ACH_PAYOUT;
    const payout_details = { ...PAYOUT, routing_number, account_number };
    const answer = await attempt(world, token, { ...SELL, payout_details });
    expectRefusal(answer, 400, 'validation_failed');
    assert.deepEqual(failedFields(answer), ['payout_details.account_number', 'payout_details.routing_number']);
    await expectUntouched(world, token);
  }),
  httpLaw(TOPIC, 'a sale for USD takes account numbers of 4 to 17 digits', async (world) => {
    for (const account_number of ['1234', '0000', '12345678901234567']) {
      const { token } = await buyer(world, { currency: 'USD' });
      const payout_details = { ...ACH_PAYOUT, routing_number: '021000021', account_number };
      expectStatus(await attempt(world, token, { ...SELL_FOR_USD, payout_details }), 201);
    }
  }),
];

const UNSERVED: readonly { readonly what: string; readonly body: Members }[] = [
  { what: 'a country that is not served', body: { country_code: 'FR' } },
  { what: 'a method that its flow is not served by', body: { payment_method: 'crypto' } },
  { what: 'a method of another flow', body: { ...SELL, payment_method: 'card' } },
];

const closed: readonly Law<HttpSubject>[] = CLOSINGS.map((status) =>
  httpLaw(
    TOPIC,
    `POST /v1/embed/quotes answers 409 session_not_open when the session is ${status}`,
    async (world) => {
      const { token, sessionId } = await buyer(world);
      await closeSession(world, sessionId, status);
      expectRefusal(await world.send('POST', '/v1/embed/quotes', { token, body: ATTEMPT }), 409, 'session_not_open');
    },
    SHORT_SESSIONS,
  ),
);

export const attemptRefusals: readonly Law<HttpSubject>[] = [
  ...wallets,
  ...unused,
  ...missing,
  ...closed,
  ...accounts,
  httpLaw(TOPIC, 'on_ramp and swap answer 422 wallet_address_invalid when no wallet was given', async (world) => {
    const { token } = await buyer(world);
    for (const body of [{}, SWAP])
      expectRefusal(await attempt(world, token, { ...body, wallet_address: null }), 422, 'wallet_address_invalid');
    await expectUntouched(world, token);
  }),
  httpLaw(TOPIC, 'answers 422 wallet_address_invalid to an invalid wallet that the session fixes', async (world) => {
    const { token } = await buyer(world, { wallet_address: '0x1' });
    expectRefusal(await attempt(world, token, { wallet_address: null }), 422, 'wallet_address_invalid');
  }),
  httpLaw(TOPIC, 'a sale takes no notice of a wallet that only its session fixes', async (world) => {
    const { token } = await buyer(world, { wallet_address: WALLET, target_token: 'USDC', target_network: 'base' });
    expectStatus(await attempt(world, token, SELL), 201);
  }),
  httpLaw(TOPIC, 'answers 400 validation_failed to an IBAN with wrong check digits, naming it', async (world) => {
    const { token } = await buyer(world);
    for (const iban of WRONG_IBANS) {
      const answer = await attempt(world, token, { ...SELL, payout_details: { ...PAYOUT, iban } });
      expectRefusal(answer, 400, 'validation_failed');
      assert.deepEqual(failedFields(answer), ['payout_details.iban']);
      assert.equal(answer.text.includes(iban), false);
    }
    await expectUntouched(world, token);
  }),
  httpLaw(TOPIC, 'takes an IBAN with right check digits, in groups and in any case', async (world) => {
    for (const iban of RIGHT_IBANS) {
      const { token } = await buyer(world);
      expectStatus(await attempt(world, token, { ...SELL, payout_details: { ...PAYOUT, iban } }), 201);
    }
  }),
  ...UNSERVED.map(({ what, body }) =>
    httpLaw(TOPIC, `answers 422 corridor_not_supported to ${what}`, async (world) => {
      const { token } = await buyer(world);
      expectRefusal(await attempt(world, token, body), 422, 'corridor_not_supported');
      await expectUntouched(world, token);
    }),
  ),
  httpLaw(TOPIC, 'a refused attempt leaves its idempotency key free for a corrected body', async (world) => {
    const { token } = await buyer(world);
    const sent = { idempotencyKey: 'corrected' };
    expectRefusal(await attempt(world, token, { wallet_address: 'bc1q' }, sent), 422, 'wallet_address_invalid');
    expectStatus(await attempt(world, token, {}, sent), 201);
  }),
  httpLaw(TOPIC, 'an anonymous browser may still ask for quotes', async (world) => {
    const token = await anonymousToken(world);
    const { quotes } = expectStatus(await world.send('POST', '/v1/embed/quotes', { token, body: ATTEMPT }), 200).json;
    assert.ok(Array.isArray(quotes) && textOf(membersOf(quotes[0]), 'id') !== '');
  }),
];
