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
import type { Document } from './document.js';

/**
 * Everything one decision does, as plain data. A store applies all of it or nothing and never
 * looks inside a rule. All rows belong to `scope`.
 */
export interface Change {
  readonly scope: Scope;
  /** The instant the decision was taken at; stores compare retention against it, never their own clock. */
  readonly now: Instant;
  readonly idempotency: IdempotencyWrite | null;
  /** Marks that may be set once ever, in the whole installation; one that is already set refuses the whole change as `duplicate`. */
  readonly once: readonly string[];
  readonly sessions: readonly RowWrite<Session>[];
  readonly intents: readonly RowWrite<Intent>[];
  readonly transactions: readonly RowWrite<Transaction>[];
  readonly documents: readonly RowWrite<Document>[];
  readonly events: readonly GateEvent[];
  readonly deliveries: readonly DeliveryWrite[];
  /**
   * Dead-lettered deliveries that begin again, as they will be. Each must be dead-lettered and have been replayed once less when the change
   * commits, or it refuses the whole change as `stale`.
   */
  readonly replays: readonly Delivery[];
  readonly endpoints: readonly EndpointWrite[];
  /**
   * The version of the consumers' registry that the deliveries were decided on; null when that does not matter. A registry that has changed
   * since refuses the change as `stale`, and may do so before anything else is looked at.
   */
  readonly consumers: number | null;
  readonly tasks: readonly Task[];
  readonly finishes: readonly TaskFinish[];
  readonly counters: readonly CounterMove[];
}

/** The next row and the version it was decided on; null inserts and the id must be new. */
export interface RowWrite<Row> {
  readonly row: Row;
  readonly expectedVersion: number | null;
}

/** A new delivery, and on what condition it is written. */
export interface DeliveryWrite {
  readonly row: Delivery;
  /** `endpoint_set`: only if the partner's endpoint of that mode has a URL when the change commits. */
  readonly when: 'always' | 'endpoint_set';
}

/** A webhook endpoint of the change's scope, and what was read of it: another one by now refuses the whole change as `stale`. */
export interface EndpointWrite {
  readonly row: WebhookEndpoint;
  /** Null: there was none. */
  readonly expected: WebhookEndpoint | null;
}

/** A leased task's next state; a lease that has been lost refuses the whole change as `stale`. */
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
 * `claim` takes the key, or finds who has it. `seal` completes a key that was `started` (or that
 * has lapsed meanwhile, its reply with it) and never replaces a sealed reply that still counts.
 */
export interface IdempotencyWrite {
  readonly kind: 'claim' | 'seal';
  readonly ref: IdempotencyRef;
  readonly state: IdempotencyState;
  /** The key is still good at that very instant, and free a millisecond later. */
  readonly expiresAt: Instant;
}

/** Names one use of one key: scope and keyed hashes, never the key itself. */
export interface IdempotencyRef {
  /** Partner, mode and, on embed calls, the session. */
  readonly scope: string;
  readonly keyHash: string;
  readonly fingerprint: string;
}

/** The outcome of a change. Anything but `committed` left no trace. */
export type CommitOutcome =
  | { readonly kind: 'committed' }
  /** A row or the registry of consumers has moved on, an id exists already, or a lease was lost: decide again on fresh state. */
  | { readonly kind: 'stale' }
  | IdempotencyOutcome
  | { readonly kind: 'duplicate'; readonly mark: string }
  | { readonly kind: 'insufficient'; readonly counter: string };

/** What the key says when it is not ours to take. */
export type IdempotencyOutcome =
  | { readonly kind: 'replay'; readonly reply: string }
  | { readonly kind: 'in_progress'; readonly resourceId: string; readonly taskId: string }
  | { readonly kind: 'key_mismatch' };

/** A change that does nothing yet. */
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
  };
}

/** What a store keeps of a key that was taken. */
export interface KeyRow {
  readonly fingerprint: string;
  readonly state: IdempotencyState;
  readonly expiresAt: Instant;
}

/**
 * What a stored key says to `ref` at `now`; null when it is free. It is good at the very instant it expires, and free a
 * millisecond later.
 */
export function readKey(row: KeyRow | null, ref: IdempotencyRef, now: Instant): IdempotencyOutcome | null {
  if (row === null || now > row.expiresAt) return null;
  if (row.fingerprint !== ref.fingerprint) return { kind: 'key_mismatch' };
  if (row.state.kind === 'sealed') return { kind: 'replay', reply: row.state.reply };
  return { kind: 'in_progress', resourceId: row.state.resourceId, taskId: row.state.taskId };
}

/**
 * Every store calls this before it commits. A change that names a row twice has no one meaning: each write is checked against the state
 * before the change. That is a bug of its maker, so it throws an `Error` instead of answering `stale`.
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
