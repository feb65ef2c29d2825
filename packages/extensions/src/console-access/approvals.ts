import {
  type Actor,
  type AuditContext,
  DAY,
  type Instant,
  isSameIdentity,
  isSamePerson,
  type JsonMembers,
  type Mode,
  sortedJson,
} from '@gateramp/core/domain';
import {
  apply,
  type DocumentKind,
  type DocumentRow,
  documentWrite,
  type Engine,
  findKeptRow,
  listRows,
  unchanged,
} from '@gateramp/core/extension';
import { emptyChange } from '@gateramp/core/ports';
import { OPERATORS, type Role } from './access.js';

/** A change that needs the consent of a second person before it is made. */
export interface ApprovalRequest {
  /** The kind of the change, such as the name of an endpoint. */
  readonly operation: string;
  readonly partnerId: string | null;
  readonly mode: Mode | null;
  /** Everything that the change consists of, as plain JSON. Must not contain secrets: it is stored and shown. */
  readonly change: JsonMembers;
  readonly reason: string;
  /** The lowest role that can approve it. */
  readonly role: Role;
  /** Whether its result is for the person who requested it alone, who makes the change with `collect` once it is approved. */
  readonly isCollected: boolean;
}

/** A requested change and its state. */
export interface Approval extends ApprovalRequest {
  readonly id: string;
  /** Over operation, partner, mode, change and reason, keyed by the installation. */
  readonly digest: string;
  /**
   * `pending`: waits for a second person. `approved`: is being made, or can be collected. `done`: was made. `failed`: was refused when it
   * was to be made. An approval that was neither decided nor collected within a day is `expired`.
   */
  readonly state: 'pending' | 'approved' | 'declined' | 'expired' | 'done' | 'failed';
  readonly requestedBy: Actor;
  readonly requestedAt: Instant;
  readonly expiresAt: Instant;
  readonly decidedBy: Actor | null;
  readonly decidedAt: Instant | null;
  /** Why it was declined, or why the approved change was refused. */
  readonly note: string | null;
}

/**
 * The outcome of a decision. `own`: the person who decides counts as the one who requested. `changed`: the digest is of another change.
 * `closed`: it has been decided or has expired.
 */
export type DecisionOutcome =
  | { readonly kind: 'approved' | 'declined' | 'own' | 'changed' | 'closed'; readonly approval: Approval }
  | { readonly kind: 'unknown' };

/**
 * Changes that wait for a second person. Every step is recorded in the audit trail in the same commit, and exactly one of several racing
 * steps succeeds: a request is approved, is declined or expires once.
 */
export interface Approvals {
  /** Stores a change until a second person decides about it, for at most a day. */
  request(wanted: ApprovalRequest): Promise<Approval>;
  find(id: string): Promise<Approval | null>;
  /** The newest 100 of the last 30 days; only those of a partner and mode if they are given. */
  list(scope?: { readonly partnerId: string; readonly mode: Mode } | null): Promise<readonly Approval[]>;
  /**
   * Approves the change with this digest. The caller then makes it and calls `finish`. Until then the approver may repeat this, so that
   * the change is also made after a crash: it must be idempotent.
   */
  approve(id: string, digest: string): Promise<DecisionOutcome>;
  /** The person who requested the change may decline it too, which withdraws it. */
  decline(id: string, note: string): Promise<DecisionOutcome>;
  /**
   * An approved change whose result is for its requester, in the session that requested it or a later one; null for everyone else. The
   * caller executes it and then calls `finish`. Until then it can be collected again, also after a crash, so executing it twice must have
   * no further effect.
   */
  collect(id: string): Promise<Approval | null>;
  /** Records that an approved change was made, or why it was refused. */
  finish(id: string, refusal: string | null): Promise<Approval | null>;
}

interface ApprovalRow extends DocumentRow, Omit<Approval, 'partnerId' | 'mode' | 'state'> {
  /** The partner and mode of the change; the row itself is one of the operators. */
  readonly of: Pick<Approval, 'partnerId' | 'mode'>;
  /** Of rows of earlier versions, whose actors do not name who vouched for them. */
  readonly vouchedBy?: Actor | null;
  readonly state: Exclude<Approval['state'], 'expired'>;
}

const WAITS_FOR_MS = DAY;
const LISTED_FOR_MS = 30 * DAY;
const LISTED_MAX = 100;
const NOTE_LENGTH_MAX = 500;

const SCOPE = { partnerId: OPERATORS, mode: 'live' } as const;

const kind: DocumentKind<ApprovalRow> = {
  noun: 'console_approval',
  groupOf: ({ of }) => groupOf(of),
  keepUntilOf: ({ createdAt }) => createdAt + LISTED_FOR_MS,
};

function groupOf({ partnerId, mode }: ApprovalRow['of']): string {
  return partnerId === null || mode === null ? 'installation' : `${mode}/${partnerId}`;
}

export function consoleApprovals(engine: Engine, ready: () => Promise<void>, by: AuditContext): Approvals {
  const { clock, crypto, ids, store } = engine;

  const digestOf = ({ operation, partnerId, mode, change, reason }: Omit<ApprovalRequest, 'role' | 'isCollected'>) =>
    crypto.keyedHash('console/approval', sortedJson({ operation, partnerId, mode, change, reason }));
  const isIntact = (row: ApprovalRow): boolean => crypto.equal(row.digest, digestOf({ ...row, ...row.of }));

  async function find(id: string): Promise<ApprovalRow | null> {
    await ready();
    return findKeptRow(store, kind, SCOPE, id, clock.ofMode('live'));
  }

  function written<Value>(verb: string, next: ApprovalRow, before: ApprovalRow | null, value: Value) {
    const change = { ...emptyChange(SCOPE, clock.ofMode('live')), documents: [documentWrite(kind, next, before)] };
    const target = { type: 'console_approval', id: next.id };
    const reason = by.reason ?? (before === null ? next.reason : null);
    const action = `console_approval.${verb}`;
    return { change, value, audited: [{ ...by, ...next.of, reason, action, target, before, after: next }] };
  }

  const shown = (row: ApprovalRow): Approval => approvalOf(row, clock.ofMode('live'));
  const outcome = (kindOf: 'own' | 'changed' | 'closed', row: ApprovalRow) =>
    unchanged<DecisionOutcome>({ kind: kindOf, approval: shown(row) });

  /** Decides about a request in one commit; the row's version lets one of racing decisions through. */
  async function decided(id: string, decide: (row: ApprovalRow) => ReturnType<typeof outcome> | Decided) {
    const { value } = await apply<ApprovalRow | null, DecisionOutcome>(engine, {
      load: () => find(id),
      decide: (row) => (row === null ? unchanged<DecisionOutcome>({ kind: 'unknown' }) : decide(row)),
    });
    return value;
  }

  function settled(row: ApprovalRow, verb: 'approve' | 'decline', note: string | null): Decided {
    const now = clock.ofMode('live');
    const state = verb === 'approve' ? 'approved' : 'declined';
    const expiresAt = verb === 'approve' ? now + WAITS_FOR_MS : row.expiresAt;
    const next: ApprovalRow = { ...row, state, decidedBy: by.actor, decidedAt: now, expiresAt, note };
    return written(verb, next, row, { kind: state, approval: shown({ ...next, version: row.version + 1 }) });
  }

  return {
    request: async (wanted) => {
      await ready();
      const now = clock.ofMode('live');
      const { partnerId, mode, ...rest } = wanted;
      const row: ApprovalRow = {
        ...SCOPE,
        ...rest,
        id: ids.object(now),
        version: 1,
        of: { partnerId, mode },
        digest: digestOf(wanted),
        state: 'pending',
        requestedBy: by.actor,
        requestedAt: now,
        createdAt: now,
        expiresAt: now + WAITS_FOR_MS,
        decidedBy: null,
        decidedAt: null,
        note: null,
      };
      await apply(engine, { load: async () => row, decide: () => written('request', row, null, null) });
      return shown(row);
    },
    find: async (id) => {
      const row = await find(id);
      return row === null ? null : shown(row);
    },
    list: async (scope = null) => {
      const page = { start: { kind: 'newest' }, limit: LISTED_MAX } as const;
      const rows = await listRows(store, kind, SCOPE, page, { group: scope === null ? null : groupOf(scope) });
      return rows.slice(0, LISTED_MAX).map(shown);
    },
    approve: (id, digest) =>
      decided(id, (row) => {
        if (!crypto.equal(digest, row.digest) || !isIntact(row)) return outcome('changed', row);
        if (isSamePerson(by.actor, requesterOf(row))) return outcome('own', row);
        const isMade =
          row.state === 'approved' &&
          !row.isCollected &&
          row.decidedBy !== null &&
          isSameIdentity(row.decidedBy, by.actor);
        if (isMade) return unchanged<DecisionOutcome>({ kind: 'approved', approval: shown(row) });
        return shown(row).state === 'pending' ? settled(row, 'approve', null) : outcome('closed', row);
      }),
    decline: (id, note) =>
      decided(id, (row) => (shown(row).state === 'pending' ? settled(row, 'decline', note) : outcome('closed', row))),
    collect: async (id) => {
      const row = await find(id);
      if (row === null || !row.isCollected || !isSameIdentity(requesterOf(row), by.actor)) return null;
      return shown(row).state === 'approved' && isIntact(row) ? shown(row) : null;
    },
    finish: async (id, refusal) => {
      const { value } = await apply<ApprovalRow | null, Approval | null>(engine, {
        load: () => find(id),
        decide: (row) => {
          if (row?.state !== 'approved') return unchanged(row === null ? null : shown(row));
          const note = refusal?.slice(0, NOTE_LENGTH_MAX) ?? null;
          const next: ApprovalRow = { ...row, state: refusal === null ? 'done' : 'failed', note };
          return written(row.isCollected && refusal === null ? 'collect' : 'finish', next, row, shown(next));
        },
      });
      return value;
    },
  };
}

interface Decided {
  readonly change: ReturnType<typeof emptyChange>;
  readonly value: DecisionOutcome;
}

function requesterOf({ requestedBy, vouchedBy }: ApprovalRow): Actor {
  return { ...(vouchedBy && { vouchedBy }), ...requestedBy };
}

function approvalOf(row: ApprovalRow, now: Instant): Approval {
  const { id, of, operation, change, reason, role, isCollected, digest, state, requestedAt } = row;
  const { expiresAt, decidedBy, decidedAt, note } = row;
  const isOpen = state === 'pending' || (state === 'approved' && isCollected);
  return {
    ...{ id, ...of, operation, change, reason, role, isCollected, digest },
    ...{ requestedBy: requesterOf(row), requestedAt, expiresAt, decidedBy, decidedAt, note },
    state: isOpen && now > expiresAt ? 'expired' : state,
  };
}
