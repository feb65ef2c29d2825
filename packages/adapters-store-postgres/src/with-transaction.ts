import type { Scheduler, Store, WakeHint } from '@gateramp/core/ports';
import type { PoolClient } from 'pg';
import { quietCommit } from './commit/committer.js';
import { checkSchema, DEFAULT_SCHEMA, withinTransaction } from './database.js';
import type { Distribution } from './distribution/distribution.js';
import { storeOver } from './postgres-store.js';
import { readingWithin } from './reads/reading.js';
import { LanePositions } from './work/lane-positions.js';

/** The schema, and the scheduler to wake after the commit. */
export interface WithTransactionOptions {
  readonly schema?: string;
  /** As in `postgresStore`: the tables are distributed by partner. */
  readonly distribution?: Distribution | null;
  /** Woken by `afterCommit`. */
  readonly scheduler: Scheduler;
}

/** The ports for use cases that must commit or roll back with a transaction of the host. */
export interface TransactionPorts {
  readonly store: Store;
  /** Holds hints back: nothing is due before the host has committed. */
  readonly scheduler: Scheduler;
  /** Call after the host's `commit`; wakes the workers. Without it the sweep finds the work. */
  readonly afterCommit: () => void;
}

/**
 * Writes rows in the host's own transaction: `client` is inside `begin … commit`, at the isolation level "read committed". Commits are not
 * batched. A conflict (an existing key, a changed version) is still a result, never an error that aborts the host's transaction; refused
 * writes are rolled back to a savepoint. Locks last until the host commits, so keep the rest of the transaction short.
 */
export function withTransaction(client: Pick<PoolClient, 'query'>, options: WithTransactionOptions): TransactionPorts {
  const schema = checkSchema(options.schema ?? DEFAULT_SCHEMA);
  const distribution = options.distribution ?? null;
  const database = withinTransaction(client);
  const pending: WakeHint[] = [];
  return {
    store: storeOver(database, readingWithin(database, { schema, isDistributed: distribution !== null }), {
      schema,
      distribution,
      hasOwnTransactions: false,
      positions: new LanePositions(),
      recording: { slots: 1, batchMax: 1, onRecorded: () => undefined },
      commit: quietCommit(database, { schema, distribution }),
    }),
    scheduler: {
      wake: (hints) => void pending.push(...hints),
      start: async () => {
        throw new Error('A scheduler of one transaction runs nothing.');
      },
      close: async () => undefined,
    },
    afterCommit: () => options.scheduler.wake(pending.splice(0)),
  };
}
