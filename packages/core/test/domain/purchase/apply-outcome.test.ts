import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { IntentStatus, NextAction } from '../../../src/domain/intent/intent.js';
import { DEFAULT_POLICY, type Policy } from '../../../src/domain/policy.js';
import { applyOutcome } from '../../../src/domain/purchase/apply-outcome.js';
import { NO_DETAILS, type Outcome, type SettlementDetails } from '../../../src/domain/purchase/outcome.js';
import { endIntent, failIntent, type Purchase, type PurchaseStep } from '../../../src/domain/purchase/purchase.js';
import { cancel, expireIfDue, SESSION_STATUSES, type SessionStatus } from '../../../src/domain/session/session.js';
import type { TransactionStatus } from '../../../src/domain/transaction/transaction.js';
import { NOW, parsed, purchase } from '../builders.js';
import { forAll } from '../for-all.js';

const KYC: NextAction = { type: 'kyc', level: 'basic', fields: ['first_name'] };
const OTP: NextAction = { type: 'payment_authentication', challenge: 'otp', destination: '••42' };

const OUTCOMES = {
  kyc: { kind: 'requires_action', nextAction: KYC, reasons: ['amount'] },
  otp: { kind: 'requires_action', nextAction: OTP },
  processing: { kind: 'processing', stage: 'payment' },
  succeeded: { kind: 'succeeded' },
  failed: { kind: 'failed', failure: { code: 'payment_declined', stage: 'payment', message: 'Declined.', retryable: true } },
  cancelled: { kind: 'cancelled' },
  refunded: { kind: 'refunded' },
  charged_back: { kind: 'charged_back' },
} as const satisfies Record<string, Outcome>;

type News = keyof typeof OUTCOMES;

const NEWS = Object.keys(OUTCOMES) as readonly News[];

const LATER = NOW + 60_000;

function hear(from: Purchase, news: News, at = LATER, details: SettlementDetails = NO_DETAILS, policy: Policy = DEFAULT_POLICY): PurchaseStep | null {
  return applyOutcome(from, OUTCOMES[news], details, at, policy);
}

function heard(from: Purchase, ...all: readonly News[]): Purchase {
  return all.reduce((present, news) => hear(present, news)?.purchase ?? present, from);
}

/** A purchase whose intent has come to `status` while its session was open, by the way that leads there. */
function withIntentAt(status: IntentStatus): Purchase {
  switch (status) {
    case 'created':
      return purchase();
    case 'cancelled':
      return endIntent(purchase(), NOW);
    default:
      return heard(purchase(), status === 'requires_action' ? 'otp' : status);
  }
}

/** The session came to `status` on its own: by another intent's late success, its clock or its partner. */
function withSessionAt(from: Purchase, status: SessionStatus): Purchase {
  if (from.session.status === status) return from;
  const session = { ...from.session, status, intentId: null, heldSince: null, txRefid: status === 'completed' ? 'gtx_other' : null };
  return { ...from, session };
}

function told(step: PurchaseStep | null): readonly string[] {
  return step === null ? [] : step.announcements.map(({ type }) => type);
}

/** A cell of the table: what becomes of session, intent and transaction, what is announced, what rings. */
type Cell = readonly [SessionStatus, IntentStatus, TransactionStatus, readonly string[], readonly string[]] | null;

const PROCESSING = 'gate_session.processing';
const COMPLETED = 'gate_session.completed';
const FAILED = 'gate_session.failed';
const UPDATED = 'transaction.updated';

/** While the session is open. Null: nothing changes. */
const OPEN: Record<Exclude<IntentStatus, 'succeeded'>, Record<News, Cell>> = {
  created: {
    kyc: ['open', 'requires_action', 'pending', ['kyc.required'], []],
    otp: ['open', 'requires_action', 'pending', [], []],
    processing: ['open', 'processing', 'processing', [PROCESSING], []],
    succeeded: ['completed', 'succeeded', 'completed', [PROCESSING, COMPLETED], []],
    failed: ['open', 'failed', 'failed', [FAILED], []],
    cancelled: ['open', 'cancelled', 'failed', [], []],
    refunded: ['open', 'failed', 'refunded', [FAILED, UPDATED], []],
    charged_back: ['open', 'failed', 'charged_back', [FAILED, UPDATED], ['charged_back']],
  },
  requires_action: {
    kyc: ['open', 'requires_action', 'pending', ['kyc.required'], []],
    otp: null,
    processing: ['open', 'processing', 'processing', [PROCESSING], []],
    succeeded: ['completed', 'succeeded', 'completed', [PROCESSING, COMPLETED], []],
    failed: ['open', 'failed', 'failed', [FAILED], []],
    cancelled: ['open', 'cancelled', 'failed', [], []],
    refunded: ['open', 'failed', 'refunded', [FAILED, UPDATED], []],
    charged_back: ['open', 'failed', 'charged_back', [FAILED, UPDATED], ['charged_back']],
  },
  processing: {
    kyc: null,
    otp: null,
    processing: null,
    succeeded: ['completed', 'succeeded', 'completed', [COMPLETED], []],
    failed: ['open', 'failed', 'failed', [FAILED], []],
    cancelled: ['open', 'cancelled', 'failed', [], []],
    refunded: ['open', 'failed', 'refunded', [FAILED, UPDATED], []],
    charged_back: ['open', 'failed', 'charged_back', [FAILED, UPDATED], ['charged_back']],
  },
  failed: {
    kyc: null,
    otp: null,
    processing: null,
    succeeded: ['completed', 'succeeded', 'completed', [COMPLETED], []],
    failed: null,
    cancelled: null,
    refunded: ['open', 'failed', 'refunded', [UPDATED], []],
    charged_back: ['open', 'failed', 'charged_back', [UPDATED], ['charged_back']],
  },
  cancelled: {
    kyc: null,
    otp: null,
    processing: null,
    succeeded: ['completed', 'succeeded', 'completed', [COMPLETED], []],
    failed: null,
    cancelled: null,
    refunded: ['open', 'cancelled', 'refunded', [UPDATED], []],
    charged_back: ['open', 'cancelled', 'charged_back', [UPDATED], ['charged_back']],
  },
};

const LATE = {
  completed: 'second_settlement',
  expired: 'settled_after_close',
  cancelled: 'settled_after_close',
} as const;

/** Once the session has closed it stays as it is, whatever comes; its attempts announce nothing but their transaction. */
function closedCells(session: keyof typeof LATE): Record<IntentStatus, Record<News, Cell>> {
  const returned = (intent: IntentStatus): Pick<Record<News, Cell>, 'refunded' | 'charged_back'> => ({
    refunded: [session, intent, 'refunded', [UPDATED], []],
    charged_back: [session, intent, 'charged_back', [UPDATED], ['charged_back']],
  });
  const live: Record<News, Cell> = {
    kyc: [session, 'requires_action', 'pending', [], []],
    otp: [session, 'requires_action', 'pending', [], []],
    processing: [session, 'processing', 'processing', [], []],
    succeeded: [session, 'succeeded', 'completed', [UPDATED], [LATE[session]]],
    failed: [session, 'failed', 'failed', [], []],
    cancelled: [session, 'cancelled', 'failed', [], []],
    ...returned('failed'),
  };
  const ended = (intent: IntentStatus): Record<News, Cell> => ({
    kyc: null,
    otp: null,
    processing: null,
    succeeded: [session, intent, 'completed', [UPDATED], [LATE[session]]],
    failed: null,
    cancelled: null,
    ...returned(intent),
  });
  return {
    created: live,
    requires_action: { ...live, otp: null },
    processing: { ...live, kyc: null, otp: null, processing: null },
    // The intent's own success: a repetition of it is nothing new.
    succeeded: { ...ended('succeeded'), succeeded: null },
    failed: ended('failed'),
    cancelled: ended('cancelled'),
  };
}

const INTENT_STATUSES: readonly IntentStatus[] = ['created', 'requires_action', 'processing', 'succeeded', 'failed', 'cancelled'];

/** An open session never holds a succeeded intent: success completes it in the same commit. */
const TABLE = SESSION_STATUSES.flatMap((session) =>
  INTENT_STATUSES.filter((intent) => session !== 'open' || intent !== 'succeeded').flatMap((intent) =>
    NEWS.map((news) => {
      const cells = session === 'open' ? OPEN[intent as Exclude<IntentStatus, 'succeeded'>] : closedCells(session)[intent];
      return { session, intent, news, cell: cells[news] };
    }),
  ),
);

describe('news meets the purchase as it stands', () => {
  it.each(TABLE)('session $session, intent $intent, news $news', ({ session, intent, news, cell }) => {
    const before = withSessionAt(withIntentAt(intent), session);
    expect([before.session.status, before.intent.status]).toEqual([session, intent]);
    const step = hear(before, news);
    if (cell === null || step === null) {
      expect(step).toBe(cell);
      return;
    }
    const { purchase: after, alarms } = step;
    expect([after.session.status, after.intent.status, after.transaction.status, told(step), alarms]).toEqual(cell);
  });

  it.each(TABLE)('and numbers its events without a gap: session $session, intent $intent, news $news', ({ session, intent, news }) => {
    const before = withSessionAt(withIntentAt(intent), session);
    const step = hear(before, news);
    if (step === null) return;
    const from = before.session.sequence;
    expect(step.announcements.map(({ sequence }) => sequence)).toEqual(step.announcements.map((_one, at) => from + at + 1));
    expect(step.purchase.session.sequence).toBe(from + step.announcements.length);
  });
});

describe('success', () => {
  it('completes the session with the tx_refid and lets receivers see processing before completed', () => {
    const step = hear(purchase(), 'succeeded');
    expect(told(step)).toEqual([PROCESSING, COMPLETED]);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({ status: 'open', intent_id: 'aaaaaaaaaaaaaaaaaaaaaaaa' });
    expect(parsed(step?.announcements[1]?.data ?? '')).toMatchObject({ status: 'completed', tx_refid: 'gtx_aaaaaaaaaaaaaaaaaaaa' });
    expect(step?.purchase.session).toMatchObject({ txRefid: 'gtx_aaaaaaaaaaaaaaaaaaaa', intentId: null, heldSince: null });
    expect(step?.purchase.transaction).toMatchObject({ completedAt: LATER, failure: null, settledAfterClose: false });
    expect(step?.purchase.transaction.stages.every(({ status }) => status === 'completed')).toBe(true);
  });

  it.each(['failed', 'cancelled'] as const)('that comes after the intent had %s completes an open session', (intent) => {
    const step = hear(withIntentAt(intent), 'succeeded');
    expect(told(step)).toEqual([COMPLETED]);
    expect(step?.purchase.intent).toMatchObject({ status: 'succeeded', failure: null });
    expect(step?.purchase.transaction).toMatchObject({ status: 'completed', failure: null, settledAfterClose: false });
  });

  it('after the session was cancelled changes the transaction only, rings and emits transaction.updated', () => {
    const ended = endIntent(heard(purchase(), 'otp'), NOW);
    const before = { ...ended, session: cancel(ended.session)._unsafeUnwrap().session };
    const step = hear(before, 'succeeded');
    expect(step?.alarms).toEqual(['settled_after_close']);
    expect(told(step)).toEqual([UPDATED]);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({ object: 'transaction', status: 'completed', settled_after_close: true });
    const { sequence: _moved, ...session } = before.session;
    expect(step?.purchase.session).toMatchObject(session);
    expect(step?.purchase.intent).toEqual(before.intent);
  });

  it('after the session expired does the same', () => {
    const ended = endIntent(heard(purchase(), 'otp'), NOW);
    const expired = expireIfDue(ended.session, ended.session.expiresAt + 1);
    if (expired === null) throw new Error('The session was due.');
    const step = hear({ ...ended, session: expired.session }, 'succeeded', ended.session.expiresAt + 2);
    expect(step?.alarms).toEqual(['settled_after_close']);
    expect(step?.purchase.session.status).toBe('expired');
    expect(step?.purchase.transaction.settledAfterClose).toBe(true);
  });

  it('of a second intent, still live when a late success of the first completed the session, is never a second completed', () => {
    const first = heard(purchase(), 'failed');
    const second = purchase({ session: first.session, intent: { id: 'b'.repeat(24), txRefid: 'gtx_b', operationId: 'op-2' } });
    const completed = hear({ ...first, session: second.session }, 'succeeded');
    const session = completed?.purchase.session;
    if (session === undefined) throw new Error('The late success completed the session.');
    expect(session).toMatchObject({ status: 'completed', txRefid: 'gtx_aaaaaaaaaaaaaaaaaaaa' });
    const step = hear({ ...second, session }, 'succeeded');
    expect(told(step)).toEqual([UPDATED]);
    expect(step?.alarms).toEqual(['second_settlement']);
    expect(step?.purchase.session).toMatchObject({ status: 'completed', txRefid: 'gtx_aaaaaaaaaaaaaaaaaaaa', heldSince: null });
  });

  it('keeps when the stages before it were done', () => {
    const processing = hear(purchase(), 'processing', NOW + 1);
    const done = processing && hear(processing.purchase, 'succeeded', NOW + 9)?.purchase.transaction.stages;
    expect(done?.map(({ type, updatedAt }) => [type, updatedAt - NOW])).toEqual([
      ['kyc', 1],
      ['screening', 1],
      ['payment', 9],
      ['conversion', 9],
      ['delivery', 9],
    ]);
  });
});

describe('processing', () => {
  it('holds the session from its first entry on, and no longer than the intent lives', () => {
    const step = hear(purchase(), 'processing');
    expect(step?.purchase.session.heldSince).toBe(LATER);
    expect(step?.purchase.intent).toMatchObject({ nextAction: null, expiresAt: null });
    for (const end of ['succeeded', 'failed', 'cancelled', 'refunded', 'charged_back'] as const) {
      expect(step && hear(step.purchase, end)?.purchase.session.heldSince).toBeNull();
    }
  });

  it('holds nothing under the strict policy', () => {
    const strict: Policy = { ...DEFAULT_POLICY, expiry: 'strict' };
    const step = hear(purchase(), 'processing', LATER, NO_DETAILS, strict);
    expect(told(step)).toEqual([PROCESSING]);
    expect(step?.purchase.session.heldSince).toBeNull();
  });

  it('never holds a session that has closed', () => {
    expect(hear(withSessionAt(purchase(), 'completed'), 'processing')?.purchase.session.heldSince).toBeNull();
  });

  it('of an earlier stage, come late, takes nothing back', () => {
    const conversion = applyOutcome(purchase(), { kind: 'processing', stage: 'conversion' }, NO_DETAILS, LATER, DEFAULT_POLICY);
    expect(conversion && hear(conversion.purchase, 'processing')).toBeNull();
  });

  it('of a later stage moves on and is not announced again', () => {
    const payment = heard(purchase(), 'processing');
    const step = applyOutcome(payment, { kind: 'processing', stage: 'delivery' }, NO_DETAILS, LATER, DEFAULT_POLICY);
    expect(told(step)).toEqual([]);
    expect(step?.purchase.transaction.stages.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed', 'completed', 'processing']);
  });
});

describe('a required action', () => {
  it('lapses 30 minutes after it was first asked for, however often it is asked again', () => {
    const asked = hear(purchase(), 'otp', NOW);
    expect(asked?.purchase.intent).toMatchObject({ status: 'requires_action', nextAction: OTP, expiresAt: NOW + 30 * 60_000 });
    const answering = asked && { ...asked.purchase, intent: { ...asked.purchase.intent, stepTaskId: 'task-2' } };
    const again = answering && hear(answering, 'otp', NOW + 29 * 60_000);
    expect(again?.purchase.intent).toMatchObject({ stepTaskId: null, expiresAt: NOW + 30 * 60_000 });
  });

  it('that is another one has 30 minutes of its own', () => {
    const asked = hear(purchase(), 'kyc', NOW);
    expect(asked && hear(asked.purchase, 'otp', NOW + 60_000)?.purchase.intent.expiresAt).toBe(NOW + 31 * 60_000);
  });

  it('does not hold the session', () => {
    expect(heard(purchase(), 'otp').session.heldSince).toBeNull();
  });
});

describe('kyc.required', () => {
  it('carries the contract’s payload and nothing more', () => {
    const step = hear(purchase({ session: { userReference: 'user-7' } }), 'kyc', NOW);
    expect(parsed(step?.announcements[0]?.data ?? '')).toStrictEqual({
      object: 'kyc_requirement',
      session_id: '0123456789abcdef01234567',
      partner_id: '65f0c0ffee65f0c0ffee0001',
      mode: 'test',
      intent_id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
      level: 'basic',
      reasons: ['amount'],
      user_reference: 'user-7',
      expires_at: '2026-03-10T12:30:00.000Z',
    });
  });

  it('is told only when the intent first enters KYC, not when it is asked for more', () => {
    const first = heard(purchase(), 'kyc');
    const more: Outcome = { kind: 'requires_action', nextAction: { ...KYC, fields: ['document_number'] } };
    const step = applyOutcome(first, more, NO_DETAILS, LATER, DEFAULT_POLICY);
    expect(told(step)).toEqual([]);
    expect(step?.purchase.intent.nextAction).toEqual(more.nextAction);
  });
});

describe('failure', () => {
  it('leaves the session open and free for another attempt, and says why', () => {
    const step = hear(heard(purchase(), 'processing'), 'failed');
    expect(step?.purchase.session).toMatchObject({ status: 'open', intentId: null, heldSince: null, attempts: 1 });
    expect(step?.announcements).toHaveLength(1);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({
      object: 'gate_session',
      status: 'open',
      intent_id: 'aaaaaaaaaaaaaaaaaaaaaaaa',
      failure: { code: 'payment_declined', stage: 'payment', message: 'Declined.', retryable: true, occurred_at: '2026-03-10T12:01:00.000Z' },
      attempt: 1,
    });
    expect(step?.purchase.transaction.stages.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed', 'pending', 'pending']);
  });

  it('of an ended intent does not touch the intent that lives now', () => {
    const first = heard(purchase(), 'failed');
    const second = purchase({ session: first.session, intent: { id: 'b'.repeat(24) } });
    expect(hear({ ...first, session: second.session }, 'refunded')?.purchase.session).toMatchObject({ status: 'open', intentId: 'b'.repeat(24) });
  });

  it('leaves no later stage looking as if it were still running', () => {
    const delivering = applyOutcome(purchase(), { kind: 'processing', stage: 'delivery' }, NO_DETAILS, LATER, DEFAULT_POLICY);
    const stages = delivering && hear(delivering.purchase, 'failed')?.purchase.transaction.stages;
    expect(stages?.map(({ status }) => status)).toEqual(['completed', 'completed', 'failed', 'completed', 'pending']);
  });

  it('in a stage that the flow does not have is put where the transaction stood', () => {
    const swap = purchase({ intent: { attempt: { flow: 'swap', amount: '1', currency: 'EUR', targetToken: null, targetNetwork: null, walletAddress: null } } });
    expect(hear(swap, 'failed')?.purchase.transaction.stages[0]).toMatchObject({ type: 'kyc', status: 'failed', failureCode: 'payment_declined' });
  });
});

describe('details', () => {
  const details: SettlementDetails = {
    source: { amount: '101.50', currency: 'EUR', network: null },
    destination: { amount: '92.1', currency: 'USDC', network: 'base' },
    exchangeRate: '0.921',
    fees: [{ type: 'processing', amount: '1.50', currency: 'EUR' }],
    feeTotal: '1.50',
    txHash: '0xabc',
  };

  it('are kept when they are known, and nothing known is forgotten', () => {
    const known = hear(purchase(), 'processing', LATER, details)?.purchase;
    expect(known?.transaction).toMatchObject(details);
    expect(known && hear(known, 'succeeded')?.purchase.transaction).toMatchObject(details);
  });

  it('that are new make a repetition news, told to nobody', () => {
    const step = hear(heard(purchase(), 'processing'), 'processing', LATER, details);
    expect(step?.purchase.transaction.txHash).toBe('0xabc');
    expect(told(step)).toEqual([]);
  });

  it('are part of what transaction.updated tells', () => {
    const step = hear(withSessionAt(withIntentAt('cancelled'), 'cancelled'), 'succeeded', LATER, details);
    expect(parsed(step?.announcements[0]?.data ?? '')).toMatchObject({ tx_hash: '0xabc', fee_total: '1.50' });
  });
});

const anyNews = fc.array(fc.constantFrom(...NEWS), { maxLength: 12 });

/** Plays news, with the partner cancelling at one point, and collects all that is told. */
function play(news: readonly News[], cancelAt: number): { readonly last: Purchase; readonly types: readonly string[]; readonly sequences: readonly (number | null)[] } {
  let last = purchase();
  const announcements: { readonly type: string; readonly sequence: number | null }[] = [];
  news.forEach((one, at) => {
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
  return { last, types: announcements.map(({ type }) => type), sequences: announcements.map(({ sequence }) => sequence) };
}

describe('in whatever order news arrives, with a cancel in between', () => {
  forAll([anyNews, fc.nat(12)])('sequences are gap-free, and the session closes once', (news, cancelAt) => {
    const { types, sequences, last } = play(news, cancelAt);
    expect(sequences).toEqual(sequences.map((_one, at) => at + 2));
    const closings = types.filter((type) => type === COMPLETED || type === 'gate_session.cancelled');
    expect(closings).toHaveLength(last.session.status === 'open' ? 0 : 1);
    expect(types.filter((type) => type === PROCESSING).length).toBeLessThanOrEqual(1);
    expect(types.filter((type) => type === FAILED).length).toBeLessThanOrEqual(1);
  });

  forAll([anyNews, fc.nat(12)])('after the close nothing but transaction.updated is told', (news, cancelAt) => {
    const { types } = play(news, cancelAt);
    const closed = types.findIndex((type) => type === COMPLETED || type === 'gate_session.cancelled');
    if (closed >= 0) expect(new Set(types.slice(closed + 1))).toEqual(new Set(types.slice(closed + 1).filter((type) => type === UPDATED)));
  });

  forAll([anyNews, fc.nat(12)])('the transaction ends at the highest rank it heard of', (news, cancelAt) => {
    const { last } = play(news, cancelAt);
    const highest = (['charged_back', 'refunded'] as const).find((kind) => news.includes(kind));
    if (highest !== undefined) expect(last.transaction.status).toBe(highest);
    else if (news.includes('succeeded')) expect(last.transaction.status).toBe('completed');
  });

  forAll([anyNews, fc.nat(12), fc.constantFrom(...NEWS)])('the same news twice is heard once', (news, cancelAt, repeated) => {
    const after = heard(play(news, cancelAt).last, repeated);
    expect(hear(after, repeated, LATER + 99_000)).toBeNull();
  });

  forAll([anyNews, fc.nat(12)])('what no longer lives looks as if it: no stage is running, nothing is asked, nothing held', (news, cancelAt) => {
    const { session, intent, transaction } = play(news, cancelAt).last;
    if (['created', 'requires_action', 'processing'].includes(intent.status)) return;
    expect(transaction.stages.filter(({ status }) => status === 'processing')).toEqual([]);
    expect(intent).toMatchObject({ nextAction: null, expiresAt: null, stepTaskId: null });
    expect(session).toMatchObject({ intentId: null, heldSince: null });
  });

  forAll([anyNews, fc.nat(12)])('identity, terms and metadata stay', (news, cancelAt) => {
    const { last } = play(news, cancelAt);
    const first = purchase();
    expect(last.session).toMatchObject({ id: first.session.id, terms: first.session.terms, metadata: first.session.metadata, expiresAt: first.session.expiresAt });
    expect(last.transaction).toMatchObject({ refid: first.transaction.refid, sessionId: first.session.id, intentId: first.intent.id });
  });
});

it('a lapse after the session has closed is told to nobody', () => {
  const step = failIntent(withSessionAt(withIntentAt('requires_action'), 'completed'), OUTCOMES.failed.failure, LATER);
  expect(told(step)).toEqual([]);
  expect(step.purchase.intent.status).toBe('failed');
});
