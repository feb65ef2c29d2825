export { InstallationError } from './errors.js';
export { postgresLoad, type LoadProgress, type PostgresLoadOptions } from './load/postgres-load.js';
export { migrate, type MigrateOptions } from './migrations/migrate.js';
export { migrations, type Migration } from './migrations/migrations.js';
export { type Backlog, BACKLOG_COUNT_MAX, OVERDUE_MS } from '@gateramp/core/ports';
export { postgresOperator, type PostgresOperator, type PostgresOperatorOptions } from './operator.js';
export { asOutage } from './errors.js';
export { postgresLegsStore, type PostgresLegsStoreOptions } from './legs-store.js';
export { postgresKycVault, type PostgresKycVault, type PostgresKycVaultOptions } from './postgres-kyc-vault.js';
export { postgresStore, type PostgresStoreOptions } from './postgres-store.js';
export { postgresTime } from './database.js';
export {
  postgresSandboxLedger,
  type LedgerOperation,
  type PostgresSandboxLedger,
  type PostgresSandboxLedgerOptions,
} from './sandbox-ledger.js';
export {
  MONTHS_AHEAD,
  monthsAhead,
  postgresPartitions,
  type DropResult,
  type PostgresPartitions,
  type PostgresPartitionsOptions,
} from './partitions/postgres-partitions.js';
export {
  type DetachedPartition,
  DROP_GROUPS,
  type DropGroup,
  type DropOrder,
  type DropStep,
  type Unfinished,
} from './partitions/drop.js';
export { type Partition, type TableLayout } from './partitions/layout.js';
export { monthNamed, nameOfMonth, PARTITIONED_TABLES, type PartitionedTable } from './partitions/tables.js';
export { pollingScheduler, type PollingSchedulerOptions } from './polling-scheduler.js';
export { withTransaction, type TransactionPorts, type WithTransactionOptions } from './with-transaction.js';
