import assert from 'node:assert/strict';
import { decimal, FAILURE_CODES, feeTotal, isSameCode } from '@gateramp/core/domain';
import {
  cancel,
  confirm,
  end,
  expectAmount,
  expectNothingKept,
  expectTaken,
  expectTruth,
  inOtherMode,
  lookup,
  operationOf,
  outcomeOrThrown,
  pay,
  reached,
  requestOf,
  start,
} from './drive-payment.js';
import { providerLawsOf } from './provider-subject.js';

const RACING = [1, 2, 3, 4];

/** Laws of `start`, `cancel` and `lookup`. */
const startLaws = providerLawsOf('Payments of a provider', [], {
  async 'take the amount of the order once, and report the money as it moved'(trial) {
    const order = trial.order();
    const { details, checkAfterMs } = await pay(trial, order);
    await expectTaken(trial, order.intent.amount);
    assert.equal(checkAfterMs, null, 'A payment that has ended needs no further lookup.');
    const sent = details.source?.amount ?? null;
    if (sent !== null) expectAmount(sent, order.intent.amount, 'The details say');
    if (details.fees !== null && details.feeTotal !== null)
      expectAmount(details.feeTotal, feeTotal(details.fees), 'The fee total is');
  },
  async 'are offered: the capabilities list their market, and `resolve` fills in their terms and moves nothing'(trial) {
    const order = trial.order();
    const { flow, amount, currency, walletAddress, refundAddress, paymentMethod, targetToken } = order.intent;
    const request = requestOf(trial, order);
    const { limits } = await trial.provider.capabilities(request.scope);
    const limit = limits.find(
      (one) => one.flow === flow && isSameCode(one.currency, currency) && one.paymentMethod === paymentMethod,
    );
    assert.ok(limit !== undefined, `The capabilities have no limit of ${flow} by ${paymentMethod} in ${currency}.`);
    assert.ok(decimal.compare(limit.minAmount, amount) <= 0 && decimal.compare(amount, limit.maxAmount) <= 0);
    const resolution = await trial.provider.resolve({ ...request, walletAddress, refundAddress });
    assert.equal(resolution.kind, 'resolved');
    if (resolution.kind !== 'resolved') return;
    assert.equal(resolution.terms.paymentMethod, paymentMethod);
    if (targetToken !== null) assert.ok(isSameCode(resolution.terms.targetToken ?? '', targetToken));
    await expectTaken(trial, '0');
    assert.equal(await lookup(trial, order), null);
  },
  async 'take money once when their start is repeated, before and after they have ended'(trial) {
    const order = trial.order();
    reached(await start(trial, order));
    reached(await start(trial, order));
    await end(trial, order);
    assert.equal(reached(await start(trial, order)).outcome.kind, 'succeeded');
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
  async 'take money once when their start is sent many times at once'(trial) {
    const order = trial.order();
    const answers = await Promise.all(RACING.map(() => outcomeOrThrown(start(trial, order))));
    assert.ok(!answers.includes('not_sent'), 'A start that may have arrived is not not_sent.');
    assert.ok(
      answers.some((answer) => answer !== 'thrown'),
      'One of the starts must be answered.',
    );
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
  async 'are separate: each takes its own amount, and cancelling one leaves the other'(trial) {
    const [first, second, third] = [trial.order(), trial.order(), trial.order()];
    await Promise.all([start(trial, first), start(trial, second), cancel(trial, third)]);
    assert.equal((await end(trial, first)).outcome.kind, 'succeeded');
    assert.equal((await end(trial, second)).outcome.kind, 'succeeded');
    assert.equal((await end(trial, third)).outcome.kind, 'cancelled');
    await expectTaken(trial, decimal.add(first.intent.amount, second.intent.amount));
  },
  async 'are unknown until they are started, and a lookup changes nothing'(trial) {
    const order = trial.order();
    assert.equal(await lookup(trial, order), null);
    assert.equal(await lookup(trial, order), null);
    await expectTaken(trial, '0');
    reached(await start(trial, order));
    const [before, ...others] = [await lookup(trial, order), await lookup(trial, order), await lookup(trial, order)];
    assert.ok(before !== null, 'A started operation is not unknown.');
    for (const one of others) assert.deepEqual(one, before);
    const ended = await end(trial, order);
    assert.deepEqual(await Promise.all([lookup(trial, order), lookup(trial, order)]), [ended, ended]);
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
  async 'take nothing when they are started after a cancel of an operation that the provider had never seen'(trial) {
    const order = trial.order();
    assert.equal((await cancel(trial, order)).outcome.kind, 'cancelled');
    assert.equal((await lookup(trial, order))?.outcome.kind, 'cancelled');
    for (let time = 0; time < 2; time += 1) {
      assert.ok(!['succeeded', 'processing', 'requires_action'].includes(await outcomeOrThrown(start(trial, order))));
    }
    assert.equal((await cancel(trial, order)).outcome.kind, 'cancelled');
    assert.notEqual(await expectTruth(trial, order), 'succeeded');
    await expectTaken(trial, '0');
  },
  async 'are paid or cancelled, and never both, when they are cancelled soon after their start'(trial) {
    const order = trial.order();
    reached(await start(trial, order));
    const { outcome } = await cancel(trial, order);
    const ended = await expectTruth(trial, order);
    if (outcome.kind === 'cancelled') assert.notEqual(ended, 'succeeded');
    await outcomeOrThrown(start(trial, order));
    assert.equal(await expectTruth(trial, order), ended);
  },
  async 'are paid or cancelled, and never both, when a cancel and starts arrive at once'(trial) {
    const order = trial.order();
    const [, cancelled] = await Promise.all([
      outcomeOrThrown(start(trial, order)),
      outcomeOrThrown(cancel(trial, order)),
      outcomeOrThrown(start(trial, order)),
    ]);
    const ended = await expectTruth(trial, order);
    if (cancelled === 'cancelled') assert.notEqual(ended, 'succeeded');
  },
  async 'keep their end when they are cancelled after it'(trial) {
    const order = trial.order();
    const ended = await pay(trial, order);
    for (let time = 0; time < 2; time += 1)
      assert.equal(
        (await cancel(trial, order)).outcome.kind,
        'succeeded',
        'A cancel of a paid operation returns its state.',
      );
    assert.deepEqual((await lookup(trial, order))?.outcome, ended.outcome);
    await expectTaken(trial, order.intent.amount);
  },
});

const modeLaws = providerLawsOf('Modes of a provider', ['modes'], {
  async 'are separate: an operation cannot be found, cancelled or refunded in the other mode'(trial) {
    const order = trial.order();
    reached(await start(trial, order));
    const { provider } = trial;
    const other = () => operationOf(trial, inOtherMode(order));
    assert.equal(await provider.lookup(other()).catch(() => null), null);
    await provider.cancel(other()).catch(() => null);
    assert.equal(await expectTruth(trial, order), 'succeeded');
    const { currency } = order.intent;
    const refund = { refundId: `${order.operationId}-other`, amount: order.intent.amount, currency, reason: null };
    await provider.refund?.({ ...other(), ...refund }).catch(() => null);
    await trial.wait(1);
    await expectTaken(trial, order.intent.amount);
  },
});

const actionModeLaws = providerLawsOf('Modes of a provider', ['modes', 'actions'], {
  async 'are separate: an operation that waits for its buyer cannot be cancelled or confirmed in the other mode'(
    trial,
  ) {
    const order = trial.actions.order();
    const { outcome } = reached(await start(trial, order));
    assert.ok(outcome.kind === 'requires_action', outcome.kind);
    await cancel(trial, inOtherMode(order)).catch(() => null);
    const confirmation = await trial.actions.act(outcome.nextAction);
    if (confirmation !== null) await confirm(trial, inOtherMode(order), confirmation).catch(() => null);
    await expectTaken(trial, '0');
    assert.deepEqual((await lookup(trial, order))?.outcome, outcome);
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
});

const declineLaws = providerLawsOf('Declined payments of a provider', ['declines'], {
  async 'fail for good and move nothing, even if their operation is started again with other details'(trial) {
    const order = trial.declined();
    reached(await start(trial, order));
    const declined = await end(trial, order);
    assert.ok(declined.outcome.kind === 'failed', declined.outcome.kind);
    assert.ok(FAILURE_CODES.includes(declined.outcome.failure.code));
    await expectNothingKept(trial);
    const { operationId, mode } = order;
    await outcomeOrThrown(start(trial, { ...trial.order(), operationId, mode }));
    assert.deepEqual((await end(trial, order)).outcome, declined.outcome);
    assert.deepEqual((await cancel(trial, order)).outcome, declined.outcome);
    await expectNothingKept(trial);
  },
});

const actionLaws = providerLawsOf('Actions of a provider', ['actions'], {
  async 'are required until the buyer has done them, and take nothing before'(trial) {
    const order = trial.actions.order();
    const { outcome } = reached(await start(trial, order));
    assert.ok(outcome.kind === 'requires_action', outcome.kind);
    assert.deepEqual((await lookup(trial, order))?.outcome, outcome);
    assert.deepEqual(reached(await start(trial, order)).outcome, outcome);
    await expectTaken(trial, '0');
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
  async 'go on waiting after another one-time code, which takes nothing'(trial) {
    const order = trial.actions.order();
    const { outcome } = reached(await start(trial, order));
    assert.ok(outcome.kind === 'requires_action', outcome.kind);
    const { nextAction } = outcome;
    if (nextAction.type === 'payment_authentication' && nextAction.resendAt !== undefined) {
      await trial.wait(Math.max(0, nextAction.resendAt - trial.now()));
      const again = reached(await confirm(trial, order, { action: 'send_code' })).outcome;
      assert.ok(again.kind === 'requires_action' && again.nextAction.type === nextAction.type, again.kind);
      assert.notEqual(again.nextAction.resendAt, nextAction.resendAt, 'The next code can be asked for later.');
      await expectTaken(trial, '0');
    }
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
  async 'take money once when their confirmation is repeated, or sent many times at once'(trial) {
    const order = trial.actions.order();
    const { outcome } = reached(await start(trial, order));
    assert.ok(outcome.kind === 'requires_action', outcome.kind);
    const confirmation = await trial.actions.act(outcome.nextAction);
    if (confirmation !== null) {
      await Promise.all(RACING.map(() => outcomeOrThrown(confirm(trial, order, confirmation))));
      await end(trial, order);
      const repeated = reached(await confirm(trial, order, confirmation));
      assert.equal(repeated.outcome.kind, 'succeeded', 'A confirm that is no longer required returns the state.');
    }
    assert.equal(await expectTruth(trial, order), 'succeeded');
  },
  async 'take nothing after a cancel, whatever is confirmed or started then'(trial) {
    const order = trial.actions.order();
    const { outcome } = reached(await start(trial, order));
    assert.ok(outcome.kind === 'requires_action', outcome.kind);
    assert.equal((await cancel(trial, order)).outcome.kind, 'cancelled', 'Nothing was paid, so it can be cancelled.');
    const confirmation = await trial.actions.act(outcome.nextAction);
    if (confirmation !== null) await outcomeOrThrown(confirm(trial, order, confirmation));
    await outcomeOrThrown(start(trial, order));
    assert.equal(await expectTruth(trial, order), 'cancelled');
    await expectTaken(trial, '0');
  },
});

const processLaws = providerLawsOf('Processes of a provider', ['processes'], {
  async 'know the payments of each other, and take money once for starts in both'(trial) {
    const order = trial.order();
    const other = await trial.another();
    reached(await start(trial, order));
    assert.notEqual(await lookup(trial, order, other), null);
    reached(await start(trial, order, other));
    assert.equal(await expectTruth(trial, order), 'succeeded');
    assert.equal((await lookup(trial, order, other))?.outcome.kind, 'succeeded');
  },
  async 'start nothing that another process has cancelled'(trial) {
    const order = trial.order();
    const other = await trial.another();
    assert.equal((await cancel(trial, order)).outcome.kind, 'cancelled');
    await outcomeOrThrown(start(trial, order, other));
    assert.notEqual(await expectTruth(trial, order), 'succeeded');
    await expectTaken(trial, '0');
  },
  async "accept each other's quotes"(trial) {
    const request = requestOf(trial, trial.order());
    const answer = await trial.provider.quote(request);
    assert.ok(answer.kind === 'quotes');
    const [quote] = answer.quotes;
    assert.ok(quote !== undefined);
    assert.equal((await (await trial.another()).checkQuote(quote.id, request)).kind, 'valid');
  },
});

/** Laws of payments from their start to their end. */
export const paymentLaws = [
  ...startLaws,
  ...actionLaws,
  ...declineLaws,
  ...modeLaws,
  ...actionModeLaws,
  ...processLaws,
];
