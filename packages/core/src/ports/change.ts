import type { AuditEntry } from '../domain/audit.js';
import type { Instant } from '../domain/instant.js';
import type { IdempotencyState } from '../domain/idempotency/idempotency.js';
import type { Intent } from '../domain/intent/intent.js';
import type { Scope } from '../domain/mode.js';
import type { Decimal } from '../domain/money.js';
import type { WebhookEndpoint } from '../domain/partner/partner.js';
import type { Session } from '../domain/session/session.js';
import type { Task } from '../domain/task.js';
import type { Transaction } from '../domain/transaction/transaction.js';
import type { Delivery } from '../domain/webhook/delivery.js';
import type { GateEvent } from '../domain/webhook/event.js';
import type { Document } from './rows.js';

/**
 * All effects of one decision, as plain data. A store applies the complete change or nothing, and applies no domain rules. All rows belong
 * to `scope`.
 */
export interface Change {
  readonly scope: Scope;
  /** When the decision was made. Stores compare retention against it, never against their own clock. */
  readonly now: Instant;
  readonly idempotency: IdempotencyWrite | null;
  /** Marks that can be set only once, in both modes of the partner; one that is already set refuses the whole change as `duplicate`. */
  readonly once: readonly string[];
  readonly sessions: readonly RowWrite<Session>[];
  readonly intents: readonly RowWrite<Intent>[];
  readonly transactions: readonly RowWrite<Transaction>[];
  readonly documents: readonly RowWrite<Document>[];
  readonly events: readonly GateEvent[];
  readonly deliveries: readonly DeliveryWrite[];
  /**
   * Dead-lettered deliveries in the state after their replay. Each must be dead-lettered with one replay less when the change commits;
   * otherwise the whole change is refused as `stale`.
   */
  readonly replays: readonly Delivery[];
  readonly endpoints: readonly EndpointWrite[];
  /**
   * The version of the consumer registry that the deliveries were decided on; null if irrelevant. If the registry has changed since, the
   * change is refused as `stale`, possibly before any other check.
   */
  readonly consumers: number | null;
  readonly tasks: readonly Task[];
  readonly finishes: readonly TaskFinish[];
  readonly counters: readonly CounterMove[];
  /** Null: the change is not administrative. */
  readonly audit: AuditWrite | null;
}

/** The setting that records the newest audit entry, apart from the entries. Written by commits and `save` only. */
export const AUDIT_HEAD_SETTING = 'audit_head';

/** An administrative change was refused because that setting was altered. The message says what to do. */
export class AuditAlteredError extends Error {
  override readonly name = 'AuditAlteredError';
}

/**
 * New entries at the end of the audit trail. If the setting is not `expectedHead` (null: absent), the whole change is refused as `stale`.
 */
export interface AuditWrite {
  readonly expectedHead: string | null;
  readonly head: string;
  readonly entries: readonly AuditEntry[];
}

/** The next row, and the version it was decided on; null inserts, and the id must be new. */
export interface RowWrite<Row> {
  readonly row: Row;
  readonly expectedVersion: number | null;
}

/** A new delivery, and the condition under which it is written. */
export interface DeliveryWrite {
  readonly row: Delivery;
  /** `endpoint_set`: only if the partner's endpoint of that mode has a URL when the change commits. */
  readonly when: 'always' | 'endpoint_set';
}

/** A webhook endpoint of the change's scope, and the row it was decided on. If that has changed, the whole change is refused as `stale`. */
export interface EndpointWrite {
  readonly row: WebhookEndpoint;
  /** Null if there was none. */
  readonly expected: WebhookEndpoint | null;
}

/** The next state of a leased task. If the lease was lost, the whole change is refused as `stale`. */
export interface TaskFinish {
  readonly row: Task;
  readonly leaseToken: string;
}

/** A commutative increment; `atLeast` makes it a guarded reservation. Counters start at 0. */
export interface CounterMove {
  readonly name: string;
  readonly delta: Decimal;
  readonly atLeast: Decimal | null;
}

/**
 * `claim` takes the key, or reports its current use. `seal` completes a key that was `started`, or that has expired together with its reply
 * since; it never replaces a sealed reply that is still valid.
 */
export interface IdempotencyWrite {
  readonly kind: 'claim' | 'seal';
  readonly ref: IdempotencyRef;
  readonly state: IdempotencyState;
  /** The key is valid up to and including this instant. */
  readonly expiresAt: Instant;
}

/** Identifies one use of a key by its scope and keyed hashes, never by the key itself. */
export interface IdempotencyRef {
  /** Partner, mode and, on embed calls, the session, joined by `/`. The partner is that of the change. */
  readonly scope: string;
  readonly keyHash: string;
  readonly fingerprint: string;
}

/** The result of a commit. Every result other than `committed` leaves the store unchanged. */
export type CommitOutcome =
  | { readonly kind: 'committed' }
  /** A row or the consumer registry has changed, an id exists already, or a lease was lost: decide again on fresh state. */
  | { readonly kind: 'stale' }
  | IdempotencyOutcome
  | { readonly kind: 'duplicate'; readonly mark: string }
  | { readonly kind: 'insufficient'; readonly counter: string };

/** The result when the key is already in use. */
export type IdempotencyOutcome =
  | { readonly kind: 'replay'; readonly reply: string }
  | { readonly kind: 'in_progress'; readonly resourceId: string; readonly taskId: string }
  | { readonly kind: 'key_mismatch' };

/** A change without effects, as a starting point. */
export function emptyChange(scope: Scope, now: Instant): Change {
  return {
    scope,
    now,
    idempotency: null,
    once: [],
    sessions: [],
    intents: [],
    transactions: [],
    documents: [],
    events: [],
    deliveries: [],
    replays: [],
    endpoints: [],
    consumers: null,
    tasks: [],
    finishes: [],
    counters: [],
    audit: null,
  };
}

/** The stored row of a used key. */
export interface KeyRow {
  readonly fingerprint: string;
  readonly state: IdempotencyState;
  readonly expiresAt: Instant;
}

/** The outcome that a stored key has for `ref` at `now`; null if the key is free. A key is valid up to and including `expiresAt`. */
export function readKey(row: KeyRow | null, ref: IdempotencyRef, now: Instant): IdempotencyOutcome | null {
  if (row === null || now > row.expiresAt) return null;
  if (row.fingerprint !== ref.fingerprint) return { kind: 'key_mismatch' };
  if (row.state.kind === 'sealed') return { kind: 'replay', reply: row.state.reply };
  return { kind: 'in_progress', resourceId: row.state.resourceId, taskId: row.state.taskId };
}

/**
 * Every store calls this before it commits. A change that contains a row twice is ambiguous, because each write is checked against the
 * state before the change. That is a bug of the caller, so it throws an `Error` instead of returning `stale`.
 */
export function refuseRepeats(change: Change): void {
  refuse('session', change.sessions, ({ row }) => row.id);
  refuse('intent', change.intents, ({ row }) => row.id);
  refuse('transaction', change.transactions, ({ row }) => row.refid);
  refuse('document', change.documents, ({ row }) => `${row.noun} ${row.id}`);
  refuse('event', change.events, ({ id }) => id);
  refuse('place in a session', change.events, ({ id, sessionId, sequence }) =>
    sequence === null ? id : `${sessionId} ${sequence}`,
  );
  refuse('delivery', change.deliveries, ({ row }) => row.id);
  refuse('replay', change.replays, ({ id }) => id);
  refuse('endpoint', change.endpoints, ({ row }) => `${row.partnerId} ${row.mode}`);
  refuse('task', change.tasks, ({ id }) => id);
  refuse('finished task', change.finishes, ({ row }) => row.id);
  refuse('mark', change.once, (mark) => mark);
}

function refuse<Item>(what: string, items: readonly Item[], nameOf: (item: Item) => string): void {
  if (items.length < 2) return;
  if (new Set(items.map(nameOf)).size < items.length) throw new Error(`A change names one ${what} twice.`);
}
