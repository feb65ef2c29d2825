/**
 * For packages of the same version that distribute the tables: the port `Distribution`, and the parts of the store that an implementation
 * shares. Hosts use the root of the package.
 */
export type { CommitCall, DistributedReads, Distribution } from './distribution.js';
export { Batcher, type BatchResult } from '../batcher.js';
export { answerOf, auditParameters } from '../commit/committer.js';
export { COMMIT_SECTIONS, commitParameters, knownConsumers } from '../commit/commit-parameters.js';
export { checkSchema, type Database, DEFAULT_SCHEMA } from '../database.js';
export { rowOfDelivery } from '../delivery-row.js';
export { type MigrateOptions, migrateTo } from '../migrations/migrate.js';
export { inSchema, type Migration } from '../migrations/migrations.js';
export { OLD_OPERATIONS, OLD_ROWS, reapKinds, reapStatement } from '../reap.js';
export { markParts, sumOfIds } from '../reads/marks.js';
export { parseRow, type RowText } from '../reads/row-by-key.js';
export { OF_PARTNERS, queuedOf, type QueuedRow, taskOf, type TaskRow } from '../reads/unfinished-work.js';
export { CLAIM_COLUMNS, claimedOf, type DeliveryClaimRow, nowOf } from '../work/claims.js';
export { type Look, lookFor } from '../work/look.js';
export type { RecordOptions } from '../work/record-deliveries.js';
