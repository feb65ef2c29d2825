import type { Mode, Scope } from '@gateramp/core';
import type { Instant } from '@gateramp/core/domain';
import type {
  AuditWrite,
  Backlog,
  Change,
  Finders,
  OperatorReads,
  ReapRequest,
  Savers,
  UnfinishedWork,
  WorkStore,
} from '@gateramp/core/ports';
import type { CommitAnswer } from '../commit/commit-outcomes.js';
import type { Database } from '../database.js';
import type { Look } from '../work/look.js';
import type { RecordOptions } from '../work/record-deliveries.js';

/**
 * What differs on tables that are distributed by partner. `@gateramp/adapters-store-citus` implements it. Where a store has a distribution,
 * every other statement names the partner of its rows, and a commit statement has changes of one partner.
 */
export interface Distribution {
  readonly commits: (database: Database, schema: string) => CommitCall;
  /** Returns those of the given marks that a change has used, from before the tables were distributed. */
  readonly earlierMarks: (
    database: Database,
    schema: string,
  ) => (marks: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly savers: (database: Database, schema: string) => Savers;
  readonly reap: (database: Database, schema: string) => (request: ReapRequest) => Promise<number>;
  readonly work: (database: Database, schema: string, recording: RecordOptions) => WorkStore;
  readonly findTask: (database: Database, schema: string) => Finders['task'];
  /** The poll of `pollingScheduler`. */
  readonly poll: (database: Database, schema: string) => () => Promise<Look>;
  readonly operator: (database: Database, schema: string) => DistributedReads;
}

/** Commits changes in one statement, with the audit entries of a single change. */
export type CommitCall = (changes: readonly Change[], audit?: AuditWrite) => Promise<CommitAnswer>;

/** The operators' reads that differ. */
export interface DistributedReads extends UnfinishedWork, Pick<OperatorReads, 'marks'> {
  readonly backlog: (mode: Mode, now: Instant) => Promise<Backlog>;
  readonly probe: () => Promise<Instant>;
  readonly waitingDeliveries: (scope: Scope) => Promise<number>;
}
