import assert from 'node:assert/strict';
import { decimal } from '@gateramp/core/domain';
import type { Law } from '../law.js';
import { providerOutageLaws, refundOutageLaws } from '../provider-outage-laws.js';
import { providerRefundLaws } from '../provider-refund-laws.js';
import {
  cancel,
  end,
  expectNothingKept,
  expectReturned,
  expectTaken,
  lookup,
  operationOf,
  outcomeOrThrown,
  pay,
  reached,
  start,
} from './drive-payment.js';
import { hasAll, providerLawsOf, requiring, type ProviderOnTrial, type ProviderSubject } from './provider-subject.js';
import { lookupRefund, refund, refundEnd, refundOf, type RefundTrial } from './refund-calls.js';

/** Laws of `refund` and `lookupRefund`, by the money at the processor. */
const moneyLaws = providerLawsOf('Refunds of a provider, by the money that moves', ['refunds'], {
  async 'give an amount back once, however often and at once they are requested'(trial) {
    const order = trial.order();
    await pay(trial, order);
    const part = refundOf(order, 'part', 4);
    await Promise.all([1, 2, 3, 4].map(() => refund(trial, part).catch(() => null)));
    assert.equal((await refundEnd(trial, part)).kind, 'succeeded');
    await refund(trial, part);
    await expectReturned(trial, part.amount);
    const rest = refundOf(order, 'rest', 6);
    await refund(trial, rest);
    assert.equal((await refundEnd(trial, rest)).kind, 'succeeded');
    await expectReturned(trial, order.intent.amount);
  },
  async 'never give back more than was paid, one after another or at once'(trial) {
    const order = trial.order();
    await pay(trial, order);
    const [first, ...others] = ['a', 'b', 'c', 'd'].map((id) => refundOf(order, id, 4));
    assert.ok(first !== undefined);
    await refund(trial, first);
    await Promise.all(others.map((one) => refund(trial, one).catch(() => null)));
    const ends = [];
    for (const one of [first, ...others]) ends.push((await refundEnd(trial, one)).kind);
    assert.deepEqual(ends.sort(), ['failed', 'failed', 'succeeded', 'succeeded']);
    await expectReturned(trial, decimal.add(first.amount, first.amount));
  },
  async 'are of one payment: they never use the money of another'(trial) {
    const [order, other] = [trial.order(), trial.order()];
    await pay(trial, order);
    await pay(trial, other);
    const [all, more] = [refundOf(order, 'all', 10), refundOf(order, 'more', 1)];
    await refund(trial, all);
    assert.equal((await refundEnd(trial, all)).kind, 'succeeded');
    assert.equal((await refund(trial, more)).kind, 'failed');
    await expectReturned(trial, order.intent.amount);
    const ofOther = refundOf(other, 'all', 10);
    await refund(trial, ofOther);
    assert.equal((await refundEnd(trial, ofOther)).kind, 'succeeded');
  },
  async 'fail without moving money for payments that were not paid'(trial) {
    const [cancelled, unknown] = [trial.order(), trial.order()];
    await cancel(trial, cancelled);
    for (const order of [cancelled, unknown]) {
      const whole = refundOf(order, 'early', 10);
      const answer = await refund(trial, whole);
      assert.equal(answer.kind, 'failed');
    }
    await expectReturned(trial, '0');
    await expectTaken(trial, '0');
  },
  async 'fail without moving money, or wait for the payment, while it has not ended'(trial) {
    const order = trial.order();
    if (reached(await start(trial, order)).outcome.kind === 'succeeded') return;
    const whole = refundOf(order, 'early', 10);
    const answer = await refund(trial, whole);
    if (answer.kind === 'failed') await expectReturned(trial, '0');
    assert.equal((await end(trial, order)).outcome.kind, 'succeeded');
    if (answer.kind === 'failed') await expectTaken(trial, order.intent.amount);
    else if ((await refundEnd(trial, whole)).kind === 'succeeded') await expectNothingKept(trial);
  },
  async 'move nothing when they are only looked up'(trial) {
    const order = trial.order();
    await pay(trial, order);
    const whole = refundOf(order, 'asked', 10);
    for (let time = 0; time < 2; time += 1) assert.equal(await lookupRefund(trial, whole), null);
    await expectTaken(trial, order.intent.amount);
    await refund(trial, whole);
    const ended = await refundEnd(trial, whole);
    assert.equal(ended.kind, 'succeeded');
    for (let time = 0; time < 2; time += 1) assert.deepEqual(await lookupRefund(trial, whole), ended);
    await expectReturned(trial, order.intent.amount);
  },
  async 'leave the payment closed: a start or cancel afterwards takes and returns nothing'(trial) {
    const order = trial.order();
    await pay(trial, order);
    const whole = refundOf(order, 'whole', 10);
    await refund(trial, whole);
    assert.equal((await refundEnd(trial, whole)).kind, 'succeeded');
    await outcomeOrThrown(start(trial, order));
    await outcomeOrThrown(cancel(trial, order));
    assert.match((await lookup(trial, order))?.outcome.kind ?? 'unknown', /^(succeeded|refunded)$/);
    await expectReturned(trial, order.intent.amount);
    await expectNothingKept(trial);
  },
});

/** The published laws of refunds, on a payment of the trial. */
const publishedLaws = requiring(
  ['refunds'],
  on(providerRefundLaws, async (trial) => {
    const refunds = refunding(trial);
    const order = trial.order();
    await pay(trial, order);
    const { amount, currency } = order.intent;
    const wait = async (ms: number): Promise<number> => (await trial.wait(ms), trial.now());
    return { provider: refunds.provider, operation: operationOf(trial, order), amount, currency, wait };
  }),
);

/** The published laws of outages, on payments and refunds of the trial. */
const outageLaws = [
  ...requiring(
    ['outages', 'refusedConnections'],
    on(providerOutageLaws, async (trial) => ({
      ...failing(trial),
      provider: trial.provider,
      order: () => ({ ...trial.order(), now: trial.now() }),
    })),
  ),
  ...requiring(
    ['outages', 'refunds', 'refusedConnections'],
    on(refundOutageLaws, async (trial) => {
      const { provider } = refunding(trial);
      const order = trial.order();
      await pay(trial, order);
      return { ...failing(trial), provider, order: () => ({ ...refundOf(order, 'cut', 4), now: trial.now() }) };
    }),
  ),
];

/** Laws of refunds and of outages. */
export const refundLaws = [...moneyLaws, ...publishedLaws, ...outageLaws];

/** Laws of another suite, run on what is made of each trial. */
function on<Other>(
  laws: readonly Law<{ create(): Promise<Other & { readonly close: () => Promise<void> }> }>[],
  made: (trial: ProviderOnTrial) => Promise<Other>,
): readonly Law<ProviderSubject>[] {
  return laws.map((law) => ({
    topic: law.topic,
    title: law.title,
    run: (subject) =>
      law.run({
        async create() {
          const trial = await subject.create();
          return { ...(await made(trial)), close: trial.close };
        },
      }),
  }));
}

function refunding(trial: ProviderOnTrial): RefundTrial {
  assert.ok(hasAll(trial, ['refunds']), 'Provide refunds, or say in `notProved` why they cannot be tried.');
  return trial;
}

function failing(trial: ProviderOnTrial) {
  assert.ok(
    hasAll(trial, ['refusedConnections']),
    'Provide `outages.refuseConnections`, or say in `notProved` why it cannot be tried.',
  );
  const { refuseConnections, loseAnswers, recover } = trial.outages;
  return { refuseConnections, loseAnswers, recover };
}
