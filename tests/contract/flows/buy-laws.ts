import assert from 'node:assert/strict';
import { SANDBOX_CARDS } from '@gateramp/adapters-provider-sandbox';
import {
  buyer,
  card,
  confirm,
  expectRefusal,
  expectStatus,
  failedFields,
  httpLaw,
  type HttpSubject,
  type Law,
  type Members,
  textOf,
  WALLET,
} from '../kit.js';
import {
  actionOf,
  begin,
  checkSequence,
  delivered,
  failureCode,
  readIntent,
  readTransaction,
  SETTLED,
  statusOf,
} from './scene.js';

const TOPIC = 'HTTP: buying';

const KYC = {
  action: 'kyc',
  kyc: { first_name: 'A', last_name: 'B', date_of_birth: '1990-01-01', document_number: 'T22000129' },
} as const;

interface Failing {
  readonly when: string;
  readonly body: Members;
  readonly code: string;
}

const AT_ONCE: readonly Failing[] = [
  { when: 'the card declines', body: card(SANDBOX_CARDS.declines), code: 'payment_declined' },
  { when: 'the card has insufficient funds', body: card(SANDBOX_CARDS.insufficientFunds), code: 'insufficient_funds' },
  { when: 'the card is unknown', body: card('5555555555554444'), code: 'payment_declined' },
  {
    when: 'the card has expired',
    body: { payment_details: { card_number: SANDBOX_CARDS.succeeds, expiry: '12/29', cvc: '123' } },
    code: 'payment_declined',
  },
  {
    when: 'the wallet is on the sanctions list',
    body: { wallet_address: `0x${'1'.repeat(32)}dead0001` },
    code: 'sanctions_blocked',
  },
  {
    when: 'the wallet is on the sanctions list in capitals',
    body: { wallet_address: `0x${'1'.repeat(32)}DEAD0001` },
    code: 'sanctions_blocked',
  },
];

const failures: readonly Law<HttpSubject>[] = AT_ONCE.map(({ when, body, code }) =>
  httpLaw(
    TOPIC,
    `an intent fails with ${code} when ${when}, and the session stays open for another attempt`,
    async (world) => {
      const { token, sessionId } = await buyer(world);
      const failed = await begin(world, token, body);
      assert.deepEqual([failed['status'], failureCode(failed)], ['failed', code]);
      assert.deepEqual(
        [(await readTransaction(world, failed))['status'], await statusOf(world, sessionId)],
        ['failed', 'open'],
      );
      const second = await begin(world, token);
      assert.deepEqual([second['status'], second['attempt']], ['processing', 2]);
      await world.t.clock.advance(SETTLED);
      assert.equal(await statusOf(world, sessionId), 'completed');
      assert.deepEqual(delivered(world), ['created', 'failed', 'processing', 'completed']);
      checkSequence(world);
    },
  ),
);

const KYC_AMOUNTS: readonly (readonly [string, boolean])[] = [
  ['13.99', false],
  ['14', true],
  ['14.00', true],
  ['14.99', true],
  ['15.00', false],
];

const identity: readonly Law<HttpSubject>[] = [
  ...KYC_AMOUNTS.map(([amount, asks]) =>
    httpLaw(
      TOPIC,
      `a purchase of ${amount} ${asks ? 'asks for identity first' : 'asks for no identity'}`,
      async (world) => {
        const { token } = await buyer(world, { amount });
        const intent = await begin(world, token, { amount });
        assert.equal(intent['status'], asks ? 'requires_action' : 'processing');
        assert.equal(delivered(world).includes('kyc.required'), false);
        await world.t.gate.runDue();
        assert.equal(delivered(world).includes('kyc.required'), asks);
        if (!asks) return;
        const action = actionOf(intent);
        assert.deepEqual(Object.keys(action), ['type', 'level', 'fields']);
        assert.deepEqual(
          [action['type'], action['fields']],
          ['kyc', ['first_name', 'last_name', 'date_of_birth', 'document_number']],
        );
        const answer = expectStatus(await confirm(world, token, textOf(intent, 'id'), KYC), 200);
        assert.equal(answer.json['status'], 'processing');
        assert.equal(answer.text.includes('T22000129'), false);
      },
    ),
  ),
  httpLaw(TOPIC, 'what an identity check names may not be left out, and is named in the refusal', async (world) => {
    const { token } = await buyer(world, { amount: '14.50' });
    const intent = await begin(world, token, { amount: '14.50' });
    const { first_name: _, document_number: __, ...rest } = KYC.kyc;
    const refused = await confirm(world, token, textOf(intent, 'id'), { ...KYC, kyc: rest });
    expectRefusal(refused, 400, 'validation_failed');
    assert.deepEqual(failedFields(refused), ['kyc.document_number', 'kyc.first_name']);
    expectStatus(await confirm(world, token, textOf(intent, 'id'), KYC), 200);
  }),
  httpLaw(TOPIC, 'an identity that is rejected fails the intent with kyc_rejected', async (world) => {
    const { token, sessionId } = await buyer(world, { amount: '14.50' });
    const intent = await begin(world, token, { amount: '14.50' });
    const body = { ...KYC, kyc: { ...KYC.kyc, document_number: 'REJECT' } };
    const rejected = expectStatus(await confirm(world, token, textOf(intent, 'id'), body), 200).json;
    assert.deepEqual(
      [rejected['status'], failureCode(rejected), await statusOf(world, sessionId)],
      ['failed', 'kyc_rejected', 'open'],
    );
  }),
  httpLaw(
    TOPIC,
    'a session with an accepted kyc_package asks for no identity again, and shows its acceptance without its content',
    async (world) => {
      const { token, session } = await buyer(world, {
        amount: '14.50',
        kyc_package: { provider: 'sumsub', passport: 'P-4711' },
      });
      assert.equal(session['kyc_pre_verified'], true);
      assert.equal((await begin(world, token, { amount: '14.50' }))['status'], 'processing');
      await world.t.clock.advance(SETTLED);
      const accepted = world.t.deliveries().find((one) => one.type === 'gate_session.kyc_package_accepted');
      assert.deepEqual(Object.keys(accepted?.data ?? {}).sort(), [
        'accepted_at',
        'mode',
        'object',
        'partner_id',
        'provider',
        'session_id',
        'user_reference',
      ]);
      assert.equal(
        world.t.deliveries().some((one) => one.body.includes('P-4711')),
        false,
      );
    },
  ),
];

const LAPSES = [
  { when: 'a one-time code', amount: '100.00', body: card(SANDBOX_CARDS.needsAuthentication), code: 'payment_expired' },
  { when: 'an identity', amount: '14.50', body: {}, code: 'kyc_abandoned' },
] as const;

export const buyLaws: readonly Law<HttpSubject>[] = [
  ...failures,
  ...identity,
  httpLaw(
    TOPIC,
    'a card pays: processing at once, then settled, the session completed and its partner notified once of each',
    async (world) => {
      const { token, sessionId } = await buyer(world);
      const intent = await begin(world, token);
      assert.deepEqual([intent['status'], intent['next_action'], intent['failure']], ['processing', null, null]);
      assert.equal((await readTransaction(world, intent))['status'], 'processing');
      await world.t.clock.advance(SETTLED);
      assert.equal((await readIntent(world, token, intent))['status'], 'succeeded');
      assert.equal((await readTransaction(world, intent))['status'], 'completed');
      assert.equal(await statusOf(world, sessionId), 'completed');
      assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
      checkSequence(world);
    },
  ),
  httpLaw(TOPIC, 'a card that needs authentication asks for a one-time code; 000000 goes on', async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, card(SANDBOX_CARDS.needsAuthentication));
    const action = actionOf(intent);
    assert.equal(intent['status'], 'requires_action');
    assert.deepEqual(Object.keys(action), ['type', 'challenge', 'destination']);
    assert.deepEqual([action['type'], action['challenge']], ['payment_authentication', 'otp']);
    assert.equal(Date.parse(textOf(intent, 'expires_at')) - world.t.clock.now('test'), 30 * 60_000);
    const confirmed = expectStatus(
      await confirm(world, token, textOf(intent, 'id'), { action: 'payment_authentication', code: '000000' }),
      200,
    ).json;
    assert.deepEqual(
      [confirmed['status'], confirmed['next_action'], confirmed['expires_at']],
      ['processing', null, null],
    );
    await world.t.clock.advance(SETTLED);
    assert.equal(await statusOf(world, sessionId), 'completed');
  }),
  httpLaw(TOPIC, 'any other one-time code fails the intent with payment_authentication_failed', async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, card(SANDBOX_CARDS.needsAuthentication));
    const failed = expectStatus(
      await confirm(world, token, textOf(intent, 'id'), { action: 'payment_authentication', code: '000001' }),
      200,
    ).json;
    assert.deepEqual(
      [failed['status'], failureCode(failed), await statusOf(world, sessionId)],
      ['failed', 'payment_authentication_failed', 'open'],
    );
  }),
  httpLaw(TOPIC, 'an intent that waits for its buyer can be cancelled, and another begun', async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, card(SANDBOX_CARDS.needsAuthentication));
    const ended = expectStatus(
      await world.send('POST', `/v1/embed/intents/${textOf(intent, 'id')}/cancel`, { token }),
      200,
    ).json;
    assert.deepEqual([ended['status'], ended['next_action']], ['cancelled', null]);
    assert.equal((await begin(world, token))['attempt'], 2);
    await world.t.clock.advance(SETTLED);
    assert.equal(await statusOf(world, sessionId), 'completed');
  }),
  ...LAPSES.map(({ when, amount, body, code }) =>
    httpLaw(
      TOPIC,
      `an intent that waits 30 minutes for ${when} fails with ${code}, and the session stays open`,
      async (world) => {
        const { token, sessionId } = await buyer(world, { amount });
        const intent = await begin(world, token, { amount, ...body });
        await world.t.clock.advance(30 * 60_000);
        assert.equal((await readIntent(world, token, intent))['status'], 'requires_action');
        await world.t.clock.advance(1);
        const lapsed = await readIntent(world, token, intent);
        assert.deepEqual(
          [lapsed['status'], failureCode(lapsed), await statusOf(world, sessionId)],
          ['failed', code, 'open'],
        );
      },
    ),
  ),
  httpLaw(TOPIC, 'the wallet that the session fixes is the one that is paid', async (world) => {
    const { token } = await buyer(world, { wallet_address: WALLET });
    const intent = await begin(world, token, { wallet_address: null });
    assert.deepEqual(
      [intent['wallet_address'], (await readTransaction(world, intent))['wallet_address']],
      [WALLET, WALLET],
    );
  }),
];
