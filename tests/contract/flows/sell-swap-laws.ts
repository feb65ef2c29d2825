import assert from 'node:assert/strict';
import { SANDBOX_ACH, SANDBOX_IBANS } from '@gateramp/adapters-provider-sandbox';
import {
  ACH_PAYOUT,
  attempt,
  buyer,
  confirm,
  expectRefusal,
  expectStatus,
  httpLaw,
  type HttpSubject,
  type Law,
  type Members,
  membersOf,
  PAYOUT,
  SELL,
  SELL_FOR_USD,
  SWAP,
  textOf,
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
import { DECIMAL, TIME } from '../shapes/patterns.js';

const TOPIC = 'HTTP: selling and swapping';

const FLOWS: readonly {
  readonly name: string;
  readonly body: Members;
  readonly asset: string;
  readonly stages: readonly string[];
}[] = [
  { name: 'a sale', body: SELL, asset: 'USDC', stages: ['kyc', 'screening', 'deposit', 'conversion', 'payout'] },
  { name: 'a swap', body: SWAP, asset: 'ETH', stages: ['kyc', 'screening', 'deposit', 'conversion', 'delivery'] },
];

const deposits: readonly Law<HttpSubject>[] = FLOWS.flatMap(({ name, body, asset, stages }) => [
  httpLaw(TOPIC, `${name} asks for a deposit, and is settled and completed once it was confirmed`, async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, body);
    assert.equal(intent['status'], 'requires_action');
    const action = actionOf(intent);
    assert.deepEqual(Object.keys(action), ['type', 'address', 'memo', 'network', 'asset', 'amount', 'expires_at']);
    assert.deepEqual(
      [action['type'], action['asset'], action['network']],
      ['crypto_deposit', asset, body['source_network']],
    );
    assert.match(textOf(action, 'amount'), DECIMAL);
    assert.match(textOf(action, 'expires_at'), TIME);
    const confirmed = expectStatus(
      await confirm(world, token, textOf(intent, 'id'), { action: 'crypto_deposit' }),
      200,
    ).json;
    assert.equal(confirmed['status'], 'processing');
    await world.t.clock.advance(SETTLED);
    const transaction = await readTransaction(world, intent);
    assert.deepEqual([transaction['status'], await statusOf(world, sessionId)], ['completed', 'completed']);
    const passed = transaction['stages'];
    assert.ok(Array.isArray(passed));
    assert.deepEqual(
      passed.map((stage) => membersOf(stage)['type']),
      stages,
    );
    assert.equal(membersOf(transaction['source'])['currency'], asset);
    assert.deepEqual(delivered(world), ['created', 'processing', 'completed']);
    checkSequence(world);
  }),
  httpLaw(
    TOPIC,
    `${name} answers 422 wallet_address_invalid to the deposit address of an earlier attempt as the buyer's own`,
    async (world) => {
      const { token } = await buyer(world);
      const first = await begin(world, token, body);
      const address = textOf(actionOf(first), 'address');
      expectStatus(await world.send('POST', `/v1/embed/intents/${textOf(first, 'id')}/cancel`, { token }), 200);
      for (const refund_address of [address, `0x${address.slice(2).toUpperCase()}`])
        expectRefusal(await attempt(world, token, { ...body, refund_address }), 422, 'wallet_address_invalid');
      assert.equal((await begin(world, token, body))['attempt'], 2);
    },
  ),
  httpLaw(TOPIC, `${name} whose deposit never comes fails with deposit_not_received`, async (world) => {
    const { token, sessionId } = await buyer(world);
    const intent = await begin(world, token, body);
    await world.t.clock.advance('30m');
    await world.t.clock.advance(1);
    const lapsed = await readIntent(world, token, intent);
    assert.deepEqual(
      [lapsed['status'], failureCode(lapsed), await statusOf(world, sessionId)],
      ['failed', 'deposit_not_received', 'open'],
    );
  }),
  httpLaw(
    TOPIC,
    `${name} that would send money back to a sanctioned address fails with sanctions_blocked`,
    async (world) => {
      const { token } = await buyer(world);
      const intent = await begin(world, token, { ...body, refund_address: `0x${'1'.repeat(32)}dead0001` });
      assert.deepEqual([intent['status'], failureCode(intent)], ['failed', 'sanctions_blocked']);
    },
  ),
]);

/** A sale to each kind of account. */
const PAYOUTS = [
  {
    kind: 'an IBAN',
    currency: 'EUR',
    body: SELL,
    rejected: { ...PAYOUT, iban: SANDBOX_IBANS.rejects },
    secrets: [PAYOUT.iban, PAYOUT.account_holder],
  },
  {
    kind: 'an ACH account',
    currency: 'USD',
    body: SELL_FOR_USD,
    rejected: { ...ACH_PAYOUT, account_number: SANDBOX_ACH.rejects },
    secrets: [ACH_PAYOUT.routing_number, ACH_PAYOUT.account_number, ACH_PAYOUT.account_holder],
  },
] as const;

const payouts: readonly Law<HttpSubject>[] = PAYOUTS.flatMap(({ kind, currency, body, rejected, secrets }) => [
  httpLaw(
    TOPIC,
    `a sale to ${kind} that rejects it fails with payout_rejected after processing, and the session stays open`,
    async (world) => {
      const { token, sessionId } = await buyer(world, { currency });
      const intent = await begin(world, token, { ...body, payout_details: rejected });
      expectStatus(await confirm(world, token, textOf(intent, 'id'), { action: 'crypto_deposit' }), 200);
      await world.t.clock.advance(SETTLED);
      const failed = await readIntent(world, token, intent);
      assert.deepEqual(
        [failed['status'], failureCode(failed), await statusOf(world, sessionId)],
        ['failed', 'payout_rejected', 'open'],
      );
      assert.deepEqual(delivered(world), ['created', 'processing', 'failed']);
    },
  ),
  httpLaw(
    TOPIC,
    `a sale to ${kind} is completed, and account and holder appear in no answer and no webhook`,
    async (world) => {
      const { token } = await buyer(world, { currency });
      const intent = await begin(world, token, body);
      expectStatus(await confirm(world, token, textOf(intent, 'id'), { action: 'crypto_deposit' }), 200);
      await world.t.clock.advance(SETTLED);
      const transaction = await readTransaction(world, intent);
      assert.equal(transaction['status'], 'completed');
      const seen = JSON.stringify([intent, await readIntent(world, token, intent), transaction, world.t.deliveries()]);
      for (const secret of secrets) assert.equal(seen.includes(secret), false);
    },
  ),
]);

export const sellSwapLaws: readonly Law<HttpSubject>[] = [
  ...deposits,
  ...payouts,
  httpLaw(TOPIC, 'a sale without payout details fails with payout_rejected at once', async (world) => {
    const { token } = await buyer(world);
    const intent = await begin(world, token, { ...SELL, payout_details: null });
    assert.deepEqual([intent['status'], failureCode(intent)], ['failed', 'payout_rejected']);
  }),
];
