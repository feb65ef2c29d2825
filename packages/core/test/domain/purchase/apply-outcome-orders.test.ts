import fc from 'fast-check';
import { describe, expect } from 'vitest';

import { endIntent } from '../../../src/domain/purchase/end-intent.js';
import { DEFAULT_POLICY } from '../../../src/domain/policy.js';
import { applyOutcome } from '../../../src/domain/purchase/apply-outcome.js';
import { NO_DETAILS, type Outcome } from '../../../src/domain/purchase/outcome.js';
import type { SessionPurchase } from '../../../src/domain/purchase/purchase.js';
import { cancel } from '../../../src/domain/session/session.js';
import { beginRefund, disputesOf, settleRefund } from '../../../src/domain/transaction/refund.js';
import { transactionResource } from '../../../src/domain/transaction/transaction-resource.js';
import { NOW, parsed, purchase } from '../builders.js';
import { forAll } from '../for-all.js';
import {
  COMPLETED,
  FAILED,
  hear,
  heard,
  LATER,
  PROCESSING,
  UPDATE_KINDS,
  type UpdateKind,
  UPDATED,
} from './updates.js';

const anyUpdates = fc.array(fc.constantFrom(...UPDATE_KINDS), { maxLength: 12 });

/** Applies provider updates, with a cancel by the partner at one point, and collects all announcements. */
function play(
  updates: readonly UpdateKind[],
  cancelAt: number,
): {
  readonly last: SessionPurchase;
  readonly types: readonly string[];
  readonly sequences: readonly (number | null)[];
} {
  let last = purchase();
  const announcements: { readonly type: string; readonly sequence: number | null }[] = [];
  updates.forEach((one, at) => {
    const cancelled = at === cancelAt ? cancel(last.session) : null;
    if (cancelled?.isOk()) {
      announcements.push(...cancelled.value.announcements);
      last = endIntent({ ...last, session: cancelled.value.session }, LATER);
    }
    const step = hear(last, one, LATER + at);
    if (step === null) return;
    announcements.push(...step.announcements);
    last = step.purchase;
  });
  return {
    last,
    types: announcements.map(({ type }) => type),
    sequences: announcements.map(({ sequence }) => sequence),
  };
}

const REFUND = { taskId: 'task', reason: null, decimals: 2, refundsMax: 50 };

/** A completed payment of 100.00 with a refund that succeeded, and one that is pending. */
function partlyRefunded(): SessionPurchase {
  const completed = heard(purchase(), 'succeeded');
  const refunded = ['made', 'pending'].reduce(
    (known, id) => beginRefund(known, { ...REFUND, id, amount: '30.00' }, NOW)._unsafeUnwrap().transaction,
    completed.transaction,
  );
  return { ...completed, transaction: settleRefund(refunded, 'made', { kind: 'succeeded' }, NOW) };
}

const dispute = (id: string, amount: string, status: 'open' | 'lost' = 'open') =>
  ({ kind: 'charged_back', dispute: { id, amount, status } }) as const;

/** What may be reported about one settled payment: parts and all of it taken back, lost and won, refunds sent back, whole ends. */
const LATE_REPORTS: readonly Outcome[] = [
  dispute('dp_1', '10.00'),
  dispute('dp_1', '10.00', 'lost'),
  dispute('dp_2', '25.00'),
  { kind: 'dispute_won', dispute: { id: 'dp_2', amount: '25.00' } },
  dispute('dp_3', '100.00'),
  { kind: 'dispute_won', dispute: { id: 'dp_3', amount: '100.00' } },
  { kind: 'refund_returned', refundId: 'made' },
  { kind: 'refund_returned', refundId: 'pending' },
  { kind: 'succeeded' },
  { kind: 'refunded' },
  { kind: 'charged_back' },
];

const reports = fc.array(fc.constantFrom(...LATE_REPORTS), { maxLength: 8 });

function report(from: SessionPurchase, outcome: Outcome): SessionPurchase {
  return applyOutcome(from, { outcome, details: NO_DETAILS }, { now: LATER, policy: DEFAULT_POLICY })?.purchase ?? from;
}

/** The resource after these reports. Disputes are listed as they became known, so they are compared by their ids. */
function resourceAfter(all: readonly Outcome[]) {
  const { transaction } = all.reduce(report, partlyRefunded());
  const disputes = disputesOf(transaction).toSorted((one, other) => (one.id < other.id ? -1 : 1));
  return parsed(transactionResource({ ...transaction, disputes }));
}

describe('for reports about a settled payment in any order', () => {
  const shuffled = reports.chain((all) =>
    fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length })),
  );

  forAll([shuffled])('the transaction converges to the same resource', ([all, reordered]) => {
    expect(resourceAfter(reordered)).toEqual(resourceAfter(all));
  });

  forAll([reports])('a repeat changes nothing', (all) => {
    const last = all.reduce(report, partlyRefunded());
    for (const outcome of all)
      expect(
        applyOutcome(last, { outcome, details: NO_DETAILS }, { now: LATER + 1, policy: DEFAULT_POLICY }),
      ).toBeNull();
  });

  forAll([reports])('disputes and returned refunds among the details are the same facts as outcomes', (all) => {
    const told = all.reduce(report, partlyRefunded()).transaction;
    const returnedRefunds = ['made', 'pending'].filter((id) =>
      all.some((one) => one.kind === 'refund_returned' && one.refundId === id),
    );
    const details = { ...NO_DETAILS, disputes: told.disputes ?? [], returnedRefunds };
    const once = applyOutcome(
      partlyRefunded(),
      { outcome: { kind: 'succeeded' }, details },
      { now: LATER, policy: DEFAULT_POLICY },
    );
    const known = (once?.purchase ?? partlyRefunded()).transaction;
    expect([known.disputes ?? [], known.refunds]).toEqual([told.disputes ?? [], told.refunds]);
  });
});

describe('for updates in any order, with a cancel in between', () => {
  forAll([anyUpdates, fc.nat(12)])('sequences are gap-free, and the session closes once', (updates, cancelAt) => {
    const { types, sequences, last } = play(updates, cancelAt);
    expect(sequences).toEqual(sequences.map((_one, at) => at + 2));
    const closings = types.filter((type) => type === COMPLETED || type === 'gate_session.cancelled');
    expect(closings).toHaveLength(last.session.status === 'open' ? 0 : 1);
    expect(types.filter((type) => type === PROCESSING).length).toBeLessThanOrEqual(1);
    expect(types.filter((type) => type === FAILED).length).toBeLessThanOrEqual(1);
  });

  forAll([anyUpdates, fc.nat(12)])(
    'after the close nothing but transaction.updated is announced',
    (updates, cancelAt) => {
      const { types } = play(updates, cancelAt);
      const closed = types.findIndex((type) => type === COMPLETED || type === 'gate_session.cancelled');
      if (closed >= 0)
        expect(new Set(types.slice(closed + 1))).toEqual(
          new Set(types.slice(closed + 1).filter((type) => type === UPDATED)),
        );
    },
  );

  forAll([anyUpdates, fc.nat(12)])('the transaction ends at the highest rank it received', (updates, cancelAt) => {
    const { last } = play(updates, cancelAt);
    const highest = (['charged_back', 'refunded'] as const).find((kind) => updates.includes(kind));
    if (highest !== undefined) expect(last.transaction.status).toBe(highest);
    else if (updates.includes('succeeded')) expect(last.transaction.status).toBe('completed');
  });

  forAll([anyUpdates, fc.nat(12), fc.constantFrom(...UPDATE_KINDS)])(
    'the same update twice is heard once',
    (updates, cancelAt, repeated) => {
      const after = heard(play(updates, cancelAt).last, repeated);
      expect(hear(after, repeated, LATER + 99_000)).toBeNull();
    },
  );

  forAll([anyUpdates, fc.nat(12)])(
    'what no longer lives looks as if it: no stage is running, nothing is asked, nothing held',
    (updates, cancelAt) => {
      const { session, intent, transaction } = play(updates, cancelAt).last;
      if (['created', 'requires_action', 'processing'].includes(intent.status)) return;
      expect(transaction.stages.filter(({ status }) => status === 'processing')).toEqual([]);
      expect(intent).toMatchObject({ nextAction: null, expiresAt: null, stepTaskId: null });
      expect(session).toMatchObject({ intentId: null, heldSince: null });
    },
  );

  forAll([anyUpdates, fc.nat(12)])('identity, terms and metadata stay', (updates, cancelAt) => {
    const { last } = play(updates, cancelAt);
    const first = purchase();
    expect(last.session).toMatchObject({
      id: first.session.id,
      terms: first.session.terms,
      metadata: first.session.metadata,
      expiresAt: first.session.expiresAt,
    });
    expect(last.transaction).toMatchObject({
      refid: first.transaction.refid,
      sessionId: first.session.id,
      intentId: first.intent.id,
    });
  });
});
