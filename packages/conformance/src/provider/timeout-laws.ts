import assert from 'node:assert/strict';
import type { StartOrder } from '@gateramp/core/ports';
import {
  cancel,
  confirm,
  end,
  expectReturned,
  expectTaken,
  expectTruth,
  lookup,
  outcomeOrThrown,
  pay,
  reached,
  start,
} from './drive-payment.js';
import { providerLawsOf, type FullTrial, type ProviderOnTrial } from './provider-subject.js';
import { lookupRefund, refund, refundEnd, refundOf } from './refund-calls.js';

type OutageTrial = ProviderOnTrial & Pick<FullTrial, 'outages'>;

/** Whether the processor carried out the request that timed out. */
type Truth = 'done' | 'not done';

/** Calls that time out, for each truth. The provider cannot know it, so it must throw, or have found out. */
export const timeoutLaws = (['done', 'not done'] as const).flatMap((truth) => [
  ...startTimeouts(truth),
  ...confirmTimeouts(truth),
  ...refundTimeouts(truth),
]);

function startTimeouts(truth: Truth) {
  return providerLawsOf(`Calls of a provider that time out, ${truth}`, ['outages'], {
    async 'start: the answer is never not_sent or failed, and a lookup tells what happened'(trial) {
      const order = await timedOutStart(trial, truth);
      const found = await lookup(trial, order);
      if (truth === 'done') assert.notEqual(found, null, 'The start arrived, so the operation is not unknown.');
      if (found === null) await expectTaken(trial, '0');
      else if (truth === 'done') assert.equal(await expectTruth(trial, order), 'succeeded');
      else await closedAsTheEngineDoes(trial, order);
    },
    async 'start: a repeated one takes money once'(trial) {
      const order = await timedOutStart(trial, truth);
      await outcomeOrThrown(start(trial, order));
      await outcomeOrThrown(start(trial, order));
      await expectEnd(trial, order, truth);
    },
    async 'start: many of them at once take money once'(trial) {
      const order = trial.order();
      await during(trial, truth, () => Promise.all([1, 2, 3].map(() => outcomeOrThrown(start(trial, order)))));
      await Promise.all([1, 2, 3].map(() => outcomeOrThrown(start(trial, order))));
      await expectEnd(trial, order, truth);
    },
    async 'start: after the cancel of a recovery, a late one takes nothing'(trial) {
      const order = await timedOutStart(trial, truth);
      await closedAsTheEngineDoes(trial, order);
    },
    async 'cancel: it throws or tells the truth, and so does a repeated one'(trial) {
      const order = trial.order();
      reached(await start(trial, order));
      await closedAfterTimeout(trial, truth, order);
    },
    async 'cancel of an operation that was never seen: it throws or tells the truth, and a later start takes nothing'(
      trial,
    ) {
      const order = trial.order();
      assert.equal(await closedAfterTimeout(trial, truth, order), 'cancelled');
      await expectTaken(trial, '0');
    },
    async 'lookup: a known operation is never unknown or ended by it'(trial) {
      const order = trial.order();
      reached(await start(trial, order));
      await end(trial, order);
      const said = await during(trial, truth, () =>
        lookup(trial, order).then(
          (answer) => answer?.outcome.kind ?? 'unknown',
          () => 'thrown',
        ),
      );
      assert.ok(said === 'thrown' || said === 'succeeded', `The lookup must throw, but it says ${said}.`);
      assert.equal(await expectTruth(trial, order), 'succeeded');
    },
    async 'lookup: it does not make a later start unsafe'(trial) {
      const order = trial.order();
      await during(trial, truth, () => lookup(trial, order).catch(() => null));
      assert.equal(await lookup(trial, order), null);
      await pay(trial, order);
      await expectTaken(trial, order.intent.amount);
    },
  });
}

function confirmTimeouts(truth: Truth) {
  return providerLawsOf(`Calls of a provider that time out, ${truth}`, ['outages', 'actions'], {
    async 'confirm: it throws or tells the truth, and the payment takes money once'(trial) {
      const order = trial.actions.order();
      const { outcome } = reached(await start(trial, order));
      assert.ok(outcome.kind === 'requires_action', outcome.kind);
      const confirmation = await trial.actions.act(outcome.nextAction);
      if (confirmation === null) return;
      const said = await during(trial, truth, () => outcomeOrThrown(confirm(trial, order, confirmation)));
      assert.ok(!['not_sent', 'failed', 'cancelled'].includes(said), `The confirm must throw, but it says ${said}.`);
      await outcomeOrThrown(confirm(trial, order, confirmation));
      assert.equal(await expectTruth(trial, order), 'succeeded');
    },
    async 'confirm: after a cancel, a late one takes nothing'(trial) {
      const order = trial.actions.order();
      const { outcome } = reached(await start(trial, order));
      assert.ok(outcome.kind === 'requires_action', outcome.kind);
      const confirmation = await trial.actions.act(outcome.nextAction);
      if (confirmation === null) return;
      await during(trial, truth, () => outcomeOrThrown(confirm(trial, order, confirmation)));
      const closed = (await cancel(trial, order)).outcome.kind;
      await outcomeOrThrown(confirm(trial, order, confirmation));
      const ended = await expectTruth(trial, order);
      if (closed === 'cancelled') assert.equal(ended, 'cancelled');
    },
  });
}

function refundTimeouts(truth: Truth) {
  return providerLawsOf(`Calls of a provider that time out, ${truth}`, ['outages', 'refunds'], {
    async 'refund: it throws or tells the truth, is found by a lookup, and moves once'(trial) {
      const order = trial.order();
      await pay(trial, order);
      const part = refundOf(order, 'lost', 4);
      const said = await during(trial, truth, () =>
        refund(trial, part).then(
          ({ kind }) => kind,
          () => 'thrown',
        ),
      );
      assert.ok(!['not_sent', 'failed'].includes(said), `The refund must throw, but it says ${said}.`);
      const found = await lookupRefund(trial, part);
      if (truth === 'done') assert.ok(found !== null && found.kind !== 'failed', 'A refund that was made is found.');
      if (found === null) await expectReturned(trial, '0');
      await refund(trial, part);
      await refund(trial, part);
      assert.equal((await refundEnd(trial, part)).kind, 'succeeded');
      await expectReturned(trial, part.amount);
    },
    async 'lookup of a refund: a known refund is never unknown or failed by it'(trial) {
      const order = trial.order();
      await pay(trial, order);
      const part = refundOf(order, 'kept', 4);
      await refund(trial, part);
      await refundEnd(trial, part);
      const said = await during(trial, truth, () =>
        lookupRefund(trial, part).then(
          (outcome) => outcome?.kind ?? 'unknown',
          () => 'thrown',
        ),
      );
      assert.ok(said === 'thrown' || said === 'succeeded', `The lookup must throw, but it says ${said}.`);
      await expectReturned(trial, part.amount);
    },
  });
}

async function during<Result>({ outages }: OutageTrial, truth: Truth, call: () => Promise<Result>): Promise<Result> {
  await (truth === 'done' ? outages.loseAnswers() : outages.loseRequests());
  try {
    return await call();
  } finally {
    await outages.recover();
  }
}

/** Cancels with a timeout, then again, and starts once more. */
async function closedAfterTimeout(trial: OutageTrial, truth: Truth, order: StartOrder): Promise<string> {
  const said = await during(trial, truth, () => outcomeOrThrown(cancel(trial, order)));
  if (said === 'cancelled') {
    await outcomeOrThrown(start(trial, order));
    assert.notEqual((await end(trial, order)).outcome.kind, 'succeeded', 'It had been cancelled.');
  }
  const { outcome } = await cancel(trial, order);
  await outcomeOrThrown(start(trial, order));
  const ended = await expectTruth(trial, order);
  if (outcome.kind === 'cancelled') assert.notEqual(ended, 'succeeded');
  return outcome.kind;
}

/** A start that arrived succeeds. One that was lost may fail, since its payment details may be lost too. */
async function expectEnd(trial: OutageTrial, order: StartOrder, truth: Truth): Promise<void> {
  const ended = await expectTruth(trial, order);
  if (truth === 'done' || ended !== 'failed') assert.equal(ended, 'succeeded');
}

async function timedOutStart(trial: OutageTrial, truth: Truth): Promise<StartOrder> {
  const order = trial.order();
  const said = await during(trial, truth, () => outcomeOrThrown(start(trial, order)));
  assert.ok(!['not_sent', 'failed', 'cancelled'].includes(said), `The start must throw, but it says ${said}.`);
  return order;
}

/** Recovers as the engine does: an operation that was never seen is cancelled, and its payment details may still arrive afterwards. */
async function closedAsTheEngineDoes(trial: OutageTrial, order: StartOrder): Promise<void> {
  const { outcome } = await cancel(trial, order);
  await outcomeOrThrown(start(trial, order));
  const ended = await expectTruth(trial, order);
  if (outcome.kind === 'cancelled') assert.notEqual(ended, 'succeeded');
}
