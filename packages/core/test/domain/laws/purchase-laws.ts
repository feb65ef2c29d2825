import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  NO_DETAILS,
  isTerminal,
  type Announcement,
  type Intent,
  type Outcome,
  type SessionPurchase,
  type Session,
  type Transaction,
} from '@gateramp/core/domain';
import { rank } from '../../../src/domain/transaction/transaction.js';
import { POLICY, T0, aPurchase, aSession } from '../../../../conformance/src/builders.js';
import { domainTopic, type DomainSubject } from './domain-subject.js';

const KYC: Outcome = { kind: 'requires_action', nextAction: { type: 'kyc', level: 'basic', fields: ['first_name'] } };
const CHALLENGE: Outcome = {
  kind: 'requires_action',
  nextAction: { type: 'payment_authentication', challenge: 'otp', destination: '••42' },
};
const DECLINED: Outcome = {
  kind: 'failed',
  failure: { code: 'payment_declined', stage: 'payment', message: 'Declined.', retryable: true },
};

const OUTCOMES: readonly Outcome[] = [
  KYC,
  CHALLENGE,
  DECLINED,
  { kind: 'processing', stage: 'payment' },
  { kind: 'processing', stage: 'delivery' },
  { kind: 'cancelled' },
  { kind: 'refunded' },
  { kind: 'charged_back' },
];

/** Success is reported more often than the rest, because it must not be lost or counted twice. */
const outcomes: fc.Arbitrary<Outcome> = fc.oneof(
  { weight: 2, arbitrary: fc.constantFrom(...OUTCOMES) },
  { weight: 1, arbitrary: fc.constant<Outcome>({ kind: 'succeeded' }) },
);

/** An update of one of a session's intents (the newest is 0), or an action of its buyer or partner. */
type Happening =
  | { readonly kind: 'update'; readonly of: number; readonly outcome: Outcome }
  | { readonly kind: 'begin' | 'cancel' | 'expire' };

const happenings: fc.Arbitrary<readonly Happening[]> = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('update' as const), of: fc.nat(2), outcome: outcomes }) },
    { weight: 2, arbitrary: fc.constant<Happening>({ kind: 'begin' }) },
    { weight: 1, arbitrary: fc.constantFrom<Happening[]>({ kind: 'cancel' }, { kind: 'expire' }) },
  ),
  { maxLength: 14 },
);

/** The history of a session: the stored state, and all announcements. */
interface Story {
  session: Session;
  readonly money: Money[];
  readonly announced: Announcement[];
}

interface Money {
  intent: Intent;
  transaction: Transaction;
  /** A success was reported while it could still count. */
  settled: boolean;
}

function live(domain: DomainSubject, course: readonly Happening[]): Story {
  const { session, announcements } = aSession();
  const story: Story = { session, money: [], announced: [...announcements] };
  begin(story);
  for (const happening of course) happen(domain, story, happening);
  return story;
}

function begin(story: Story): void {
  if (isTerminal(story.session) || story.session.intentId !== null) return;
  const { session, intent, transaction } = aPurchase(story.session, T0);
  story.session = session;
  story.money.unshift({ intent, transaction, settled: false });
}

function happen(domain: DomainSubject, story: Story, happening: Happening): void {
  if (happening.kind === 'begin') return begin(story);
  if (happening.kind === 'update') return hear(domain, story, happening);
  const before = story.session;
  const closed =
    happening.kind === 'cancel'
      ? domain.cancel(before).unwrapOr(null)
      : domain.expireIfDue(before, before.expiresAt + 1);
  if (closed === null) return;
  story.session = closed.session;
  story.announced.push(...closed.announcements);
  endTheLive(domain, story);
}

function hear(domain: DomainSubject, story: Story, update: { readonly of: number; readonly outcome: Outcome }): void {
  const money = story.money[update.of];
  if (money === undefined) return;
  if (update.outcome.kind === 'succeeded' && rank(money.transaction.status) < rank('completed')) money.settled = true;
  const purchase: SessionPurchase = { session: story.session, intent: money.intent, transaction: money.transaction };
  const step = domain.applyOutcome(
    purchase,
    { outcome: update.outcome, details: NO_DETAILS },
    { now: T0, policy: POLICY },
  );
  if (step === null) return;
  story.session = step.purchase.session;
  money.intent = step.purchase.intent;
  money.transaction = step.purchase.transaction;
  story.announced.push(...step.announcements);
  if (isTerminal(story.session)) endTheLive(domain, story);
}

/** Closing a session ends its live intent in the same commit. */
function endTheLive(domain: DomainSubject, story: Story): void {
  for (const money of story.money) {
    const ended = domain.endIntent(
      { session: story.session, intent: money.intent, transaction: money.transaction },
      T0,
    );
    Object.assign(money, { intent: ended.intent, transaction: ended.transaction });
  }
}

function everyCourse(domain: DomainSubject, holds: (story: Story) => void): void {
  fc.assert(
    fc.property(happenings, (course) => holds(live(domain, course))),
    { numRuns: 500 },
  );
}

function countOf(story: Story, type: string): number {
  return story.announced.filter((announcement) => announcement.type === type).length;
}

export const purchaseLaws = domainTopic('Domain: provider updates', {
  'announces completion at most once, whatever updates arrive in whatever order'(domain) {
    everyCourse(domain, (story) => {
      assert.equal(countOf(story, 'gate_session.completed'), story.session.status === 'completed' ? 1 : 0);
    });
  },

  'never loses a success: its transaction says that money settled, and an open session completes by it'(domain) {
    everyCourse(domain, (story) => {
      for (const { settled, transaction } of story.money) {
        if (settled) assert.ok(rank(transaction.status) >= rank('completed'), transaction.status);
      }
      if (story.money.some(({ settled }) => settled)) assert.notEqual(story.session.status, 'open');
    });
  },

  'numbers what it announces without a hole, updates after the close included'(domain) {
    everyCourse(domain, (story) => {
      assert.deepEqual(
        story.announced.map(({ sequence }) => sequence),
        story.announced.map((_, nth) => nth + 1),
      );
      assert.equal(story.session.sequence, story.announced.length);
    });
  },

  "announces every purchase's entry into processing once"(domain) {
    everyCourse(domain, (story) => {
      assert.ok(countOf(story, 'gate_session.processing') <= story.money.length);
    });
  },

  'marks money that settled after the close, and only that'(domain) {
    everyCourse(domain, (story) => {
      for (const { transaction } of story.money) {
        if (transaction.settledAfterClose) assert.notEqual(story.session.txRefid, transaction.refid);
      }
    });
  },

  'moves a transaction only to a higher rank once it has settled'(domain) {
    const later = fc.array(outcomes, { maxLength: 6 });
    fc.assert(
      fc.property(later, (course) => {
        let purchase = aPurchase(aSession().session, T0);
        let highest = 0;
        for (const outcome of [{ kind: 'succeeded' } as const, ...course]) {
          purchase =
            domain.applyOutcome(purchase, { outcome, details: NO_DETAILS }, { now: T0, policy: POLICY })?.purchase ??
            purchase;
          assert.ok(rank(purchase.transaction.status) >= highest);
          highest = rank(purchase.transaction.status);
        }
      }),
      { numRuns: 200 },
    );
  },

  'changes nothing when the same success is reported again'(domain) {
    const purchase = aPurchase(aSession().session, T0);
    const first = domain.applyOutcome(
      purchase,
      { outcome: { kind: 'succeeded' }, details: NO_DETAILS },
      { now: T0, policy: POLICY },
    );
    assert.ok(first !== null);
    assert.equal(
      domain.applyOutcome(
        first.purchase,
        { outcome: { kind: 'succeeded' }, details: NO_DETAILS },
        { now: T0, policy: POLICY },
      ),
      null,
    );
  },

  'leaves the session open and free for another attempt when one fails'(domain) {
    const purchase = aPurchase(aSession().session, T0);
    const step = domain.applyOutcome(purchase, { outcome: DECLINED, details: NO_DETAILS }, { now: T0, policy: POLICY });
    assert.deepEqual([step?.purchase.session.status, step?.purchase.session.intentId], ['open', null]);
    assert.deepEqual(
      step?.announcements.map(({ type }) => type),
      ['gate_session.failed'],
    );
  },

  'completes by a late success when the session is open, and only records it when it is closed'(domain) {
    const failed = domain.applyOutcome(
      aPurchase(aSession().session, T0),
      { outcome: DECLINED, details: NO_DETAILS },
      { now: T0, policy: POLICY },
    );
    assert.ok(failed !== null);
    const open = domain.applyOutcome(
      failed.purchase,
      { outcome: { kind: 'succeeded' }, details: NO_DETAILS },
      { now: T0, policy: POLICY },
    );
    assert.deepEqual(
      open?.announcements.map(({ type }) => type),
      ['gate_session.completed'],
    );
    const { session } = domain.cancel(failed.purchase.session)._unsafeUnwrap();
    const closed = domain.applyOutcome(
      { ...failed.purchase, session },
      { outcome: { kind: 'succeeded' }, details: NO_DETAILS },
      { now: T0, policy: POLICY },
    );
    assert.deepEqual(
      closed?.announcements.map(({ type }) => type),
      ['transaction.updated'],
    );
    assert.deepEqual(
      [closed?.purchase.session.status, closed?.purchase.transaction.settledAfterClose],
      ['cancelled', true],
    );
    assert.deepEqual(closed?.alarms, ['settled_after_close']);
  },
});
