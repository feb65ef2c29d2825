import { describe, expect, it } from 'vitest';

import type { IntentStatus } from '../../../src/domain/intent/intent.js';
import { SESSION_STATUSES, type SessionStatus } from '../../../src/domain/session/session.js';
import type { TransactionStatus } from '../../../src/domain/transaction/transaction.js';
import {
  announced,
  COMPLETED,
  FAILED,
  hear,
  PROCESSING,
  UPDATE_KINDS,
  type BankKind,
  type UpdateKind,
  UPDATED,
  withIntentAt,
  withSessionAt,
} from './updates.js';

/** A cell of the table: the resulting session, intent and transaction, the announcements and the alarms. */
type Cell = readonly [SessionStatus, IntentStatus, TransactionStatus, readonly string[], readonly string[]] | null;

type StatusKind = Exclude<UpdateKind, BankKind>;

/** How a partner and an operator are notified of the bank's actions; null for a refund that the transaction does not have. */
const BANK: Record<BankKind, readonly [readonly string[], readonly string[]] | null> = {
  charged_back_in_part: [[UPDATED], ['charged_back']],
  dispute_won: [[UPDATED], []],
  refund_returned: null,
};

function isBankKind(update: UpdateKind): update is BankKind {
  return update in BANK;
}

/** The bank's actions leave the session, the intent and the status of the transaction. */
function bankCell(session: SessionStatus, intent: IntentStatus, update: BankKind): Cell {
  const heard = BANK[update];
  const { transaction } = withSessionAt(withIntentAt(intent), session);
  return heard === null ? null : [session, intent, transaction.status, ...heard];
}

/** While the session is open. Null: nothing changes. */
const OPEN: Record<Exclude<IntentStatus, 'succeeded'>, Record<StatusKind, Cell>> = {
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

/** A closed session never changes; its attempts announce only their transaction. */
function closedCells(session: keyof typeof LATE): Record<IntentStatus, Record<StatusKind, Cell>> {
  const returned = (intent: IntentStatus): Pick<Record<StatusKind, Cell>, 'refunded' | 'charged_back'> => ({
    refunded: [session, intent, 'refunded', [UPDATED], []],
    charged_back: [session, intent, 'charged_back', [UPDATED], ['charged_back']],
  });
  const live: Record<StatusKind, Cell> = {
    kyc: [session, 'requires_action', 'pending', [], []],
    otp: [session, 'requires_action', 'pending', [], []],
    processing: [session, 'processing', 'processing', [], []],
    succeeded: [session, 'succeeded', 'completed', [UPDATED], [LATE[session]]],
    failed: [session, 'failed', 'failed', [], []],
    cancelled: [session, 'cancelled', 'failed', [], []],
    ...returned('failed'),
  };
  const ended = (intent: IntentStatus): Record<StatusKind, Cell> => ({
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
    // The intent's own success: a repetition changes nothing.
    succeeded: { ...ended('succeeded'), succeeded: null },
    failed: ended('failed'),
    cancelled: ended('cancelled'),
  };
}

const INTENT_STATUSES: readonly IntentStatus[] = [
  'created',
  'requires_action',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
];

/** An open session never has a succeeded intent: success completes it in the same commit. */
const TABLE = SESSION_STATUSES.flatMap((session) =>
  INTENT_STATUSES.filter((intent) => session !== 'open' || intent !== 'succeeded').flatMap((intent) =>
    UPDATE_KINDS.map((update) => {
      const cells =
        session === 'open' ? OPEN[intent as Exclude<IntentStatus, 'succeeded'>] : closedCells(session)[intent];
      const cell = isBankKind(update) ? bankCell(session, intent, update) : cells[update];
      return { session, intent, update, cell };
    }),
  ),
);

describe('an update of the current purchase', () => {
  it.each(TABLE)('session $session, intent $intent, update $update', ({ session, intent, update, cell }) => {
    const before = withSessionAt(withIntentAt(intent), session);
    expect([before.session.status, before.intent.status]).toEqual([session, intent]);
    const step = hear(before, update);
    if (cell === null || step === null) {
      expect(step).toBe(cell);
      return;
    }
    const { purchase: after, alarms } = step;
    expect([after.session.status, after.intent.status, after.transaction.status, announced(step), alarms]).toEqual(
      cell,
    );
  });

  it.each(TABLE)(
    'and numbers its events without a gap: session $session, intent $intent, update $update',
    ({ session, intent, update }) => {
      const before = withSessionAt(withIntentAt(intent), session);
      const step = hear(before, update);
      if (step === null) return;
      const from = before.session.sequence;
      expect(step.announcements.map(({ sequence }) => sequence)).toEqual(
        step.announcements.map((_one, at) => from + at + 1),
      );
      expect(step.purchase.session.sequence).toBe(from + step.announcements.length);
    },
  );
});
