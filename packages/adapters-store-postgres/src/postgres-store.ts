import type { Instant } from '@gateramp/core/domain';
import type { Change, CommitOutcome, IdempotencyOutcome, IdempotencyRef, Store } from '@gateramp/core/ports';
import type { Pool } from 'pg';
import { consumers } from './consumers.js';
import { foldedCommit } from './commit/committer.js';
import { keyOutcome } from './commit/commit-outcomes.js';
import { pooled, type Database } from './database.js';
import { partners } from './partners.js';
import { deliveryReads } from './reads/delivery-reads.js';
import { documentReads } from './reads/document-reads.js';
import { counterReads } from './reads/counter-reads.js';
import { eventReads } from './reads/event-reads.js';
import { postgresTime } from './postgres-time.js';
import { purchaseReads } from './reads/purchase-reads.js';
import { readingFrom, type Reading } from './reads/reading.js';
import { sessionReads } from './reads/session-reads.js';
import { reap } from './reap.js';
import { rememberedKeys } from './remembered-keys.js';
import { checkSchema, DEFAULT_SCHEMA } from './schema.js';
import { settings } from './settings.js';
import { claimRounds } from './work/claim-round.js';
import { deliveryWork, type SettleOptions } from './work/delivery-work.js';
import { nextDue } from './work/next-due.js';
import { sweepUp } from './work/sweep-up.js';
import { taskWork } from './work/task-work.js';

export interface PostgresStoreOptions {
  /** Where `migrate` has put the tables; `gateramp` unless told. */
  readonly schema?: string;
  /** Statements of commits under way at once; what arrives meanwhile is folded into the next. 3 unless told. */
  readonly commitSlots?: number;
  /** Commits in one statement at most; 64 unless told. */
  readonly commitBatchMax?: number;
  /** A statement that takes longer is given up and reported as an outage; 15 s unless told. */
  readonly queryTimeoutMs?: number;
  /**
   * A page of a list waits this long for its turn and may then take Postgres this long; beyond that it is an outage, 503 to whoever asked.
   * 2 s unless told.
   */
  readonly pageTimeoutMs?: number;
  /** How long a key that exists is remembered, and so how late another process may see its revocation; 2 s unless told, 5 s at most. */
  readonly keyMemoryMs?: number;
  /** Named prepared statements. Off unless told: proxies that pool by transaction do not all know them. */
  readonly preparedStatements?: boolean;
  /** Hears how many commits each statement carries, for metrics. Must not throw. */
  readonly onCommitBatch?: (commits: number) => void;
}

/**
 * The durable store. `pool` stays the caller's: it is neither opened nor closed here. Every statement is a transaction of its own and
 * leaves nothing behind in its connection, so a transaction-pooling proxy may stand in between. Run `migrate` first.
 *
 * Reads never take the last connections of the pool: as many as `commitSlots` are left to commits and work, so give it some more than those.
 */
export function postgresStore(pool: Pool, options: PostgresStoreOptions = {}): Store {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const queryTimeoutMs = options.queryTimeoutMs ?? 15_000;
  const database = pooled(pool, { queryTimeoutMs, preparedStatements: options.preparedStatements ?? false });
  const folding = { schema, slots: options.commitSlots ?? 3, batchMax: options.commitBatchMax ?? 64 };
  const reading = readingFrom(pool, database, {
    schema,
    keptForCommits: folding.slots,
    waitMs: queryTimeoutMs,
    pageTimeoutMs: options.pageTimeoutMs ?? 2_000,
    statementOf: database.statementOf,
  });
  const store = storeOver(database, reading, {
    schema,
    settling: { ...SETTLING, onSettled: sweepUp(database, schema) },
    commit: foldedCommit(database, { ...folding, onBatch: options.onCommitBatch ?? (() => undefined) }),
  });
  return { ...store, readTime: postgresTime(pool), ...rememberedKeys(store, options.keyMemoryMs ?? 2_000) };
}

/** Nobody waits for a settle, so those under way are few and large: one of three deliveries costs nearly as much as one of thirty. */
const SETTLING = { slots: 2, batchMax: 128 };

export interface StoreParts {
  readonly schema: string;
  readonly settling: SettleOptions;
  readonly commit: (change: Change) => Promise<CommitOutcome>;
}

/** The whole port over whatever runs its statements. */
export function storeOver(database: Database, reading: Reading, { schema, settling, commit }: StoreParts): Store {
  return {
    isDurable: true,
    commit,
    findReply: findReply(database, schema),
    reap: reap(database, schema),
    ...sessionReads(reading, schema),
    ...purchaseReads(reading, schema),
    ...documentReads(reading, schema),
    ...eventReads(reading, schema),
    ...deliveryReads(reading, schema),
    ...counterReads(reading, schema),
    ...claimRounds(database, schema),
    ...deliveryWork(database, schema, settling),
    ...taskWork(database, schema),
    nextDue: nextDue(database, schema),
    ...partners(database, schema),
    ...consumers(database, schema),
    ...settings(database, schema),
  };
}

interface StoredKey {
  readonly fingerprint: string;
  readonly reply: string | null;
  readonly resource_id: string | null;
  readonly task_id: string | null;
  readonly expires_at: string;
}

function findReply(database: Database, schema: string) {
  const text = `select fingerprint, reply, resource_id, task_id, expires_at from "${schema}".idempotency_keys where scope = $1 and key_hash = $2`;
  return async (ref: IdempotencyRef, now: Instant): Promise<IdempotencyOutcome | null> => {
    const [row] = await database.query<StoredKey>(text, [ref.scope, ref.keyHash]);
    if (row === undefined) return null;
    const { fingerprint, reply, resource_id: resourceId, task_id: taskId } = row;
    return keyOutcome({ fingerprint, reply, resourceId, taskId, expiresAt: Number(row.expires_at) }, ref, now);
  };
}
