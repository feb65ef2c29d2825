import assert from 'node:assert/strict';
import type { Instant, Mode, NextAction } from '@gateramp/core/domain';
import type { Confirmation, PaymentDetails, RawCallback } from '@gateramp/core/ports';
import type {
  AuthorizeOrder,
  AuthorizeResult,
  FiatLeg,
  LegCall,
  LegPending,
  OutsideMovement,
} from '@gateramp/provider-legs';
import { lawsOnTrial, type Law } from './law.js';

/** The fiat leg under test. */
export interface FiatLegSubject {
  /** Creates a leg that has not seen the ids of this trial. */
  create(): Promise<FiatLegOnTrial>;
}

/** A fiat leg, with a buyer and a bank. */
export interface FiatLegOnTrial {
  readonly leg: FiatLeg;
  readonly mode: Mode;
  readonly now: () => Instant;
  /** A currency in which the leg takes cards. Amounts of 20.00 are within its limits. */
  readonly currency: string;
  /** Begins all call ids. Unique among all trials if the processor persists them. */
  readonly id: string;
  /** Payment details by their outcome. */
  readonly cards: {
    readonly succeeds: PaymentDetails;
    readonly declines: PaymentDetails;
    readonly insufficientFunds: PaymentDetails;
    readonly needsAction: PaymentDetails;
  };
  /** Completes the buyer's action; null if a test cannot do that. */
  readonly act: ((action: NextAction) => Promise<Confirmation>) | null;
  /** Actions of the buyer's bank on captured payments. Each returns the callback that reports it. Null if a test cannot simulate them. */
  readonly bank: {
    dispute(authorizationId: string, amount: string): Promise<RawCallback>;
    /** Decides the previous dispute in favour of the seller. */
    win(authorizationId: string, amount: string): Promise<RawCallback>;
    returnRefund(refundId: string): Promise<RawCallback>;
  } | null;
  /**
   * What a person does in the processor's dashboard. Each returns the callback that reports it. Null or absent if a test cannot
   * simulate it.
   */
  readonly dashboard?: {
    refund(authorizationId: string, amount: string): Promise<RawCallback>;
    /** Makes the last refund fail. */
    failRefund(authorizationId: string): Promise<RawCallback>;
    /** Captures a part of an authorized amount. */
    capture(authorizationId: string, amount: string): Promise<void>;
  } | null;
  /** The amount that is captured and not refunded, as decimal text; null if a test cannot see it. */
  readonly taken: ((authorizationId: string) => Promise<string>) | null;
  readonly close: () => Promise<void>;
}

const AMOUNT = '20.00';

/** Laws of authorizations, captures and refunds, which repeated calls make once. Payouts depend on the processor and are not tested. */
export const fiatLegLaws: readonly Law<FiatLegSubject>[] = lawsOnTrial<FiatLegOnTrial>('the fiat leg', {
  async 'authorizes once and captures once, and answers repeated calls the same'(trial) {
    const { leg } = trial;
    const order = orderOf(trial);
    assert.equal((await authorize(trial, order)).kind, 'authorized');
    await expectTaken(trial, order, '0');
    assert.equal((await authorize(trial, order)).kind, 'authorized');
    assert.equal((await leg.lookupAuthorization(order))?.kind, 'authorized');
    for (let time = 0; time < 2; time += 1) assert.deepEqual(await capture(trial, order), { kind: 'captured' });
    assert.equal((await leg.lookupAuthorization(order))?.kind, 'authorized');
    await expectTaken(trial, order, AMOUNT);
  },

  async 'authorizes once when many calls with the same id race'(trial) {
    const order = orderOf(trial);
    const results = await Promise.all([1, 2, 3, 4].map(() => authorize(trial, order)));
    assert.deepEqual([...new Set(results.map(({ kind }) => kind))], ['authorized']);
    assert.deepEqual(await capture(trial, order), { kind: 'captured' });
    await expectTaken(trial, order, AMOUNT);
  },

  async 'fails a declined card permanently, with a reason'(trial) {
    const { leg, cards } = trial;
    for (const [code, details] of [
      ['payment_declined', cards.declines],
      ['insufficient_funds', cards.insufficientFunds],
    ] as const) {
      const order = orderOf(trial, { paymentDetails: details, callId: `${trial.id}-${code}` });
      const first = await authorize(trial, order);
      assert.equal(first.kind === 'failed' ? first.failure.code : first.kind, code);
      assert.deepEqual(await authorize(trial, order), first);
      assert.deepEqual(await leg.lookupAuthorization(order), first);
      assert.equal((await capture(trial, order)).kind, 'failed');
      await expectTaken(trial, order, '0');
    }
  },

  async 'finds no authorization that was never requested, and a lookup changes nothing'(trial) {
    const { leg } = trial;
    const order = orderOf(trial);
    for (let time = 0; time < 2; time += 1) assert.equal(await leg.lookupAuthorization(order), null);
    assert.equal((await authorize(trial, order)).kind, 'authorized');
  },

  async 'closes an unknown authorization, so that a later call with its id fails'(trial) {
    const { leg } = trial;
    const order = orderOf(trial);
    assert.deepEqual(await release(trial, order), { kind: 'voided' });
    assert.deepEqual(await authorize(trial, order), { kind: 'voided' });
    assert.deepEqual(await leg.lookupAuthorization(order), { kind: 'voided' });
    assert.equal((await capture(trial, order)).kind, 'failed');
    await expectTaken(trial, order, '0');
  },

  async 'releases an authorized amount and captures none of it afterwards'(trial) {
    const order = orderOf(trial);
    await authorize(trial, order);
    for (let time = 0; time < 2; time += 1) assert.deepEqual(await release(trial, order), { kind: 'voided' });
    assert.equal((await capture(trial, order)).kind, 'failed');
    assert.deepEqual(await authorize(trial, order), { kind: 'voided' });
    await expectTaken(trial, order, '0');
  },

  async 'reports that a captured amount can no longer be released'(trial) {
    const order = orderOf(trial);
    await authorize(trial, order);
    await capture(trial, order);
    assert.deepEqual(await release(trial, order), { kind: 'captured' });
    await expectTaken(trial, order, AMOUNT);
  },

  async 'returns the same action until the buyer has completed it, then authorizes'(trial) {
    const { leg, act } = trial;
    const order = orderOf(trial, { paymentDetails: trial.cards.needsAction });
    const waiting = await authorize(trial, order);
    assert.equal(waiting.kind, 'requires_action');
    assert.deepEqual(await leg.lookupAuthorization(order), waiting);
    if (waiting.kind !== 'requires_action' || act === null) return;
    const confirmation = await act(waiting.nextAction);
    for (let time = 0; time < 2; time += 1) {
      const confirmed = await settled(() => leg.confirm({ ...callOf(trial, order), confirmation }));
      assert.equal(confirmed.kind, 'authorized');
    }
    assert.deepEqual(await capture(trial, order), { kind: 'captured' });
    await expectTaken(trial, order, AMOUNT);
  },

  async 'closes an authorization that is waiting for the buyer'(trial) {
    const { leg } = trial;
    const order = orderOf(trial, { paymentDetails: trial.cards.needsAction });
    await authorize(trial, order);
    assert.deepEqual(await release(trial, order), { kind: 'voided' });
    assert.deepEqual(await leg.lookupAuthorization(order), { kind: 'voided' });
    assert.equal((await capture(trial, order)).kind, 'failed');
  },

  async 'refunds a part and then the rest, each refund once'(trial) {
    const order = orderOf(trial);
    await authorize(trial, order);
    await capture(trial, order);
    const refund = (callId: string, amount: string) =>
      settled(() => trial.leg.refund({ ...callOf(trial, order), callId, amount, currency: trial.currency }));
    for (let time = 0; time < 2; time += 1)
      assert.deepEqual(await refund(`${trial.id}-first`, '5.50'), { kind: 'refunded' });
    await expectTaken(trial, order, '14.50');
    assert.deepEqual(await refund(`${trial.id}-second`, '14.50'), { kind: 'refunded' });
    assert.deepEqual(await refund(`${trial.id}-first`, '5.50'), { kind: 'refunded' });
    await expectTaken(trial, order, '0');
  },

  async 'refuses to refund an amount that was not captured'(trial) {
    const order = orderOf(trial);
    await authorize(trial, order);
    const { currency } = trial;
    const call = { ...callOf(trial, order), callId: `${trial.id}-early`, amount: AMOUNT, currency };
    assert.equal((await settled(() => trial.leg.refund(call))).kind, 'failed');
  },

  async 'reports the amount of a chargeback and a dispute that was won later'(trial) {
    const { leg, bank } = trial;
    if (bank === null) return;
    const order = await paid(trial);
    const taken = await leg.parseCallback(await bank.dispute(order.callId, '7.50'));
    assert.ok(taken.kind === 'charged_back');
    assert.deepEqual([taken.authorizationId, Number(taken.amount)], [order.callId, 7.5]);
    const won = await leg.parseCallback(await bank.win(order.callId, '7.50'));
    assert.deepEqual(won, { ...taken, kind: 'dispute_won', eventId: 'eventId' in won ? won.eventId : '' });
    assert.notEqual('eventId' in won ? won.eventId : '', taken.eventId);
  },

  async 'refuses refunds of a charged-back payment, and still answers an earlier refund'(trial) {
    const { bank } = trial;
    if (bank === null) return;
    const order = await paid(trial);
    const refund = (callId: string) =>
      settled(() => trial.leg.refund({ ...callOf(trial, order), callId, amount: '5.00', currency: trial.currency }));
    assert.deepEqual(await refund(`${trial.id}-before`), { kind: 'refunded' });
    await bank.dispute(order.callId, '15.00');
    assert.deepEqual(await refund(`${trial.id}-before`), { kind: 'refunded' });
    assert.equal((await refund(`${trial.id}-after`)).kind, 'failed');
    await expectTaken(trial, order, '15.00');
  },

  async 'reports a refund that the bank sent back, which counts as failed from then on'(trial) {
    const { leg, bank } = trial;
    if (bank === null) return;
    const order = await paid(trial);
    const refundId = `${trial.id}-refund`;
    const refund = () =>
      settled(() =>
        leg.refund({ ...callOf(trial, order), callId: refundId, amount: '5.00', currency: trial.currency }),
      );
    assert.deepEqual(await refund(), { kind: 'refunded' });
    const said = await leg.parseCallback(await bank.returnRefund(refundId));
    assert.ok(said.kind === 'refund_failed');
    assert.deepEqual([said.authorizationId, said.refundId], [order.callId, refundId]);
    assert.equal((await refund()).kind, 'failed');
    await expectTaken(trial, order, AMOUNT);
  },

  async 'reports a refund that no call made, and its failure, by callback and when asked'(trial) {
    const { leg, dashboard = null } = trial;
    if (dashboard === null) return;
    const order = await paid(trial);
    assert.deepEqual(await movementsOf(trial, order), []);
    const said = await leg.parseCallback(await dashboard.refund(order.callId, '7.50'));
    assert.ok(said.kind === 'refunded_outside');
    assert.deepEqual([said.authorizationId, Number(said.amount)], [order.callId, 7.5]);
    assert.deepEqual(await movementsOf(trial, order), [movementOf(said)]);
    const failed = await leg.parseCallback(await dashboard.failRefund(order.callId));
    assert.deepEqual(failed, {
      ...said,
      kind: 'outside_refund_failed',
      eventId: 'eventId' in failed ? failed.eventId : '',
    });
    await expectTaken(trial, order, AMOUNT);
  },

  async 'reports what was authorized and not captured as refunded'(trial) {
    const { dashboard = null } = trial;
    if (dashboard === null) return;
    const order = orderOf(trial);
    await authorize(trial, order);
    await dashboard.capture(order.callId, '12.50');
    assert.deepEqual(await capture(trial, order), { kind: 'captured' });
    const [missing, ...others] = await movementsOf(trial, order);
    assert.deepEqual(others, []);
    assert.equal(missing?.kind === 'refunded_outside' ? Number(missing.amount) : missing?.kind, 7.5);
    await expectTaken(trial, order, '12.50');
  },

  async 'shows a dispute whose callback was lost when asked'(trial) {
    const { leg, bank } = trial;
    if (bank === null) return;
    const order = await paid(trial);
    const lost = await bank.dispute(order.callId, '7.50');
    const shown = await movementsOf(trial, order);
    const said = await leg.parseCallback(lost);
    assert.ok(said.kind === 'charged_back');
    assert.deepEqual(shown, [movementOf(said)]);
  },

  async 'rejects callbacks without a valid signature'({ leg, mode, now }) {
    const rawBody = Buffer.from('{"id":"evt_1","object":"event"}');
    const callback = { rawBody, headers: {}, mode, now: Date.now(), modeNow: now() };
    assert.deepEqual(await leg.parseCallback(callback), { kind: 'unauthenticated' });
  },
});

const movementsOf = (trial: FiatLegOnTrial, order: LegCall) => trial.leg.movements(callOf(trial, order));

function movementOf({
  eventId: _,
  authorizationId: __,
  ...movement
}: OutsideMovement & { readonly eventId: string; readonly authorizationId: string }): OutsideMovement {
  return movement;
}

async function paid(trial: FiatLegOnTrial): Promise<AuthorizeOrder> {
  const order = orderOf(trial);
  await authorize(trial, order);
  assert.deepEqual(await capture(trial, order), { kind: 'captured' });
  return order;
}

function orderOf(trial: FiatLegOnTrial, given: Partial<AuthorizeOrder> = {}): AuthorizeOrder {
  return {
    callId: `${trial.id}-authorize`,
    mode: trial.mode,
    now: trial.now(),
    amount: AMOUNT,
    currency: trial.currency,
    method: 'card',
    paymentDetails: trial.cards.succeeds,
    returnUrl: 'https://checkout.example/return',
    reference: trial.id,
    ...given,
  };
}

function callOf({ mode, now }: FiatLegOnTrial, { callId }: LegCall) {
  return { callId: `${callId}-next`, mode, now: now(), authorizationId: callId };
}

const authorize = ({ leg }: FiatLegOnTrial, order: AuthorizeOrder): Promise<Exclude<AuthorizeResult, LegPending>> =>
  settled(() => leg.authorize(order));
const capture = (trial: FiatLegOnTrial, order: LegCall) => settled(() => trial.leg.capture(callOf(trial, order)));
const release = (trial: FiatLegOnTrial, order: LegCall) => settled(() => trial.leg.void(callOf(trial, order)));

async function expectTaken({ taken }: FiatLegOnTrial, { callId }: LegCall, amount: string): Promise<void> {
  if (taken !== null) assert.equal(Number(await taken(callId)), Number(amount));
}

const TRIES = 20;

/** Repeats the call until its result is known, as the saga does. */
async function settled<Result extends { readonly kind: string }>(
  call: () => Promise<Result | LegPending>,
): Promise<Exclude<Result, LegPending>> {
  for (let left = TRIES; ; left -= 1) {
    const result = await call().catch((error: unknown) => {
      if (left === 0) throw error;
      return null;
    });
    if (result !== null && result.kind !== 'pending') return result as Exclude<Result, LegPending>;
    if (left === 0) throw new Error('The result of a call stayed unknown.');
    await new Promise((resolve) => setImmediate(resolve));
  }
}
