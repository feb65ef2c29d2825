import type { Scope } from '@gateramp/core';
import { freeAt, type Instant } from '@gateramp/core/domain';
import type {
  Change,
  Claims,
  ClaimsOfOne,
  CommitOutcome,
  Counters,
  CountersOfEach,
  Finders,
  IdempotencyOutcome,
  IdempotencyRef,
  Listers,
  Store,
  StoreReads,
  WorkStore,
} from '@gateramp/core/ports';
import type { Pool } from 'pg';
import { audit, consumers, sandboxHolds, settings } from './registry.js';
import { batchedCommit } from './commit/committer.js';
import { keyOutcome } from './commit/commit-outcomes.js';
import { checkSchema, type Database, DEFAULT_SCHEMA, pooled, postgresTime } from './database.js';
import type { Distribution } from './distribution/distribution.js';
import { partners, rememberedKeys } from './partners.js';
import { deliveryReads } from './reads/deliveries.js';
import { counterReads, documentReads } from './reads/documents.js';
import { eventReads } from './reads/events.js';
import { purchaseReads } from './reads/purchases.js';
import { type Reading, readingFrom } from './reads/reading.js';
import { sessionReads } from './reads/sessions.js';
import { reap, sweepUp } from './reap.js';
import { type ClaimOptions, claimRounds } from './work/claims.js';
import { LanePositions } from './work/lane-positions.js';
import { deliveryClaim, taskClaim, taskFinder } from './work/one-item.js';
import { batchedRecord, type RecordOptions } from './work/record-deliveries.js';
import { nextDue, sandboxesDue } from './work/next-due.js';

/** The schema, and the limits of the store's database use. */
export interface PostgresStoreOptions {
  /** The schema that `migrate` has created; `gateramp` by default. */
  readonly schema?: string;
  /** The maximum number of concurrent commit statements; changes that arrive meanwhile join the next one. 2 by default. */
  readonly commitSlots?: number;
  /** The maximum number of commits in one statement; 64 by default. */
  readonly commitBatchMax?: number;
  /** Statements that take longer are cancelled and reported as an outage; 15 s by default. */
  readonly queryTimeoutMs?: number;
  /**
   * The time that a page of a list may wait for its turn, and then the time that Postgres may take for it; longer is an
   * outage, 503 to the caller. 2 s by default.
   */
  readonly pageTimeoutMs?: number;
  /** How long an existing key is cached, and so how late another process may notice its revocation; 2 s by default, 5 s at most. */
  readonly keyMemoryMs?: number;
  /** Uses named prepared statements. Off by default: not all transaction-pooling proxies support them. */
  readonly preparedStatements?: boolean;
  /**
   * The tables are distributed by partner: pass `citus` of `@gateramp/adapters-store-citus`. Each statement of a request then names the
   * partner, and a commit statement has changes of one partner.
   */
  readonly distribution?: Distribution | null;
  /** Called with the number of commits in each statement, for metrics. Must not throw. */
  readonly onCommitBatch?: (commits: number) => void;
  /**
   * Called when a list of events is behind, since a commit of the partner has been running for two seconds: the list shows only events that
   * no event can appear before any more. Must not throw.
   */
  readonly onEventsHeldBack?: (scope: Scope) => void;
}

/**
 * The durable store. The caller owns `pool`: it is neither opened nor closed here. Every statement is its own transaction and leaves no
 * session state, so a transaction-pooling proxy may be used. Run `migrate` first.
 *
 * Reads never take the last connections of the pool: `commitSlots` and one more are reserved for commits and
 * workers, so make the pool larger than that.
 */
export function postgresStore(pool: Pool, options: PostgresStoreOptions = {}): Store {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const queryTimeoutMs = options.queryTimeoutMs ?? 15_000;
  const preparedStatements = options.preparedStatements ?? false;
  const database = pooled(pool, { queryTimeoutMs, preparedStatements });
  const distribution = options.distribution ?? null;
  const isDistributed = distribution !== null;
  const folding = { schema, distribution, slots: options.commitSlots ?? 2, batchMax: options.commitBatchMax ?? 64 };
  const reading = readingFrom(pool, database, {
    schema,
    isDistributed,
    keptForCommits: folding.slots + 1,
    waitMs: queryTimeoutMs,
    pageTimeoutMs: options.pageTimeoutMs ?? 2_000,
    keepsPlans: preparedStatements,
    statementOf: database.statementOf,
  });
  // Claims on distributed tables are several statements, which do not read the holds.
  const holds = isDistributed ? {} : { sandboxHolds: sandboxHolds(database, schema) };
  const store: Store = {
    ...holds,
    ...storeOver(database, reading, {
      schema,
      distribution,
      hasOwnTransactions: true,
      positions: LanePositions.shared(pool, schema),
      recording: { ...RECORDING, onRecorded: sweepUp(database, schema) },
      onEventsHeldBack: options.onEventsHeldBack,
      commit: batchedCommit(database, { ...folding, onBatch: options.onCommitBatch ?? (() => undefined) }),
    }),
  };
  return { ...store, readTime: postgresTime(pool), ...rememberedKeys(store, options.keyMemoryMs ?? 2_000) };
}

/**
 * No caller waits for a result to be recorded, so the statements are few and large: one with three deliveries
 * costs nearly as much as one with thirty.
 */
const RECORDING = { slots: 2, batchMax: 128, gather: { ms: 5, count: 32 } };

export interface StoreParts extends ClaimOptions {
  readonly distribution: Distribution | null;
  readonly positions: LanePositions;
  readonly recording: RecordOptions;
  readonly commit: (change: Change) => Promise<CommitOutcome>;
  readonly onEventsHeldBack?: PostgresStoreOptions['onEventsHeldBack'];
}

/** The whole port over any database. */
export function storeOver(database: Database, reading: Reading, parts: StoreParts): Store {
  const { schema, distribution, positions } = parts;
  const commit = distribution === null ? parts.commit : checkingMarks(database, distribution, parts);
  return {
    contract: 2,
    isDurable: true,
    commit: async (change) => {
      const outcome = await commit(change);
      if (outcome.kind === 'committed') addTasks(positions, change);
      return outcome;
    },
    findReply: findReply(database, parts),
    reap: (distribution?.reap ?? reap)(database, schema),
    ...reads(database, reading, parts),
    ...work(database, parts),
    ...partners(database, parts),
    ...consumers(database, schema),
    ...audit(database, schema),
    ...settings(database, parts),
  };
}

/** Marks that were used before the tables were distributed are found by another statement than the commit. */
function checkingMarks(database: Database, distribution: Distribution, parts: StoreParts): StoreParts['commit'] {
  const earlier = distribution.earlierMarks(database, parts.schema);
  const reply = findReply(database, parts);
  return async (change) => {
    const { once, idempotency, now } = change;
    if (once.length === 0) return parts.commit(change);
    const used = await earlier(once);
    const mark = once.find((one) => used.has(one));
    if (mark === undefined) return parts.commit(change);
    return (idempotency && (await reply(idempotency.ref, now))) ?? { kind: 'duplicate', mark };
  };
}

/** A task may be committed long after it was due, as when an operator resumes it. */
function addTasks(positions: LanePositions, { tasks, finishes }: Change): void {
  for (const task of [...tasks, ...finishes.map(({ row }) => row)]) {
    const start = freeAt(task);
    if (start !== null) positions.addReturned('tasks', { endpoint: '', mode: task.mode, start });
  }
}

function reads(
  database: Database,
  reading: Reading,
  { schema, distribution, onEventsHeldBack }: StoreParts,
): StoreReads {
  const sessions = sessionReads(reading, schema);
  const purchases = purchaseReads(reading, schema);
  const documents = documentReads(reading, schema);
  const events = eventReads(reading, schema, onEventsHeldBack ?? (() => undefined));
  const deliveries = deliveryReads(reading, schema);
  const finders: Finders = {
    session: sessions.find,
    intent: purchases.findIntent,
    intent_by_operation: purchases.findIntentByOperation,
    transaction: purchases.findTransaction,
    document: documents.find,
    event: events.find,
    delivery: deliveries.find,
    endpoint_health: deliveries.findEndpointHealth,
    task: (distribution?.findTask ?? taskFinder)(database, schema),
  };
  const listers: Listers = {
    session: sessions.list,
    transaction: purchases.listTransactions,
    document: documents.list,
    delivery: deliveries.list,
    event: events.list,
    session_event: events.ofSession,
    transaction_of_hash: purchases.ofHash,
  };
  const counters: Counters = { session: sessions.count, delivery: deliveries.count };
  const countersOfEach: CountersOfEach = { session: sessions.countEach, delivery: deliveries.countEach };
  return {
    find: (noun, ...key) => finders[noun](...key),
    list: (noun, ...args) => listers[noun](...args),
    counts: {
      count: (noun, ...args) => counters[noun](...args),
      countEach: (noun, ...args) => countersOfEach[noun](...args),
      totals: purchases.totals,
    },
    readCounters: counterReads(reading, schema),
  };
}

function work(database: Database, parts: StoreParts): WorkStore {
  const { schema, distribution, hasOwnTransactions, positions, recording } = parts;
  if (distribution !== null) return distribution.work(database, schema, recording);
  const claims: Claims = claimRounds(database, positions, { schema, hasOwnTransactions });
  const claimsOfOne: ClaimsOfOne = { delivery: deliveryClaim(database, schema), task: taskClaim(database, schema) };
  const records = batchedRecord(database, positions, schema, recording);
  return {
    claim: (kind, request) => claims[kind](request),
    claimOne: (kind, ...args) => claimsOfOne[kind](...args),
    recordDelivery: (outcome) => records.add(outcome),
    nextDue: nextDue(database, positions, schema),
    sandboxesDue: sandboxesDue(database, schema),
  };
}

interface StoredKey {
  readonly fingerprint: string;
  readonly reply: string | null;
  readonly resource_id: string | null;
  readonly task_id: string | null;
  readonly expires_at: string;
}

function findReply(database: Database, { schema, distribution }: StoreParts) {
  const isDistributed = distribution !== null;
  const ofShard = isDistributed ? ' and partner_id = $3' : '';
  const text = `select fingerprint, reply, resource_id, task_id, expires_at from "${schema}".idempotency_keys
    where scope = $1 and key_hash = $2${ofShard}`;
  return async (ref: IdempotencyRef, now: Instant): Promise<IdempotencyOutcome | null> => {
    // A scope begins with its partner.
    const partner = isDistributed ? [ref.scope.slice(0, ref.scope.indexOf('/'))] : [];
    const [row] = await database.query<StoredKey>(text, [ref.scope, ref.keyHash, ...partner]);
    if (row === undefined) return null;
    const { fingerprint, reply, resource_id: resourceId, task_id: taskId } = row;
    return keyOutcome({ fingerprint, reply, resourceId, taskId, expiresAt: Number(row.expires_at) }, ref, now);
  };
}
