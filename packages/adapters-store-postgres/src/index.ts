export { migrate, type MigrateOptions } from './migrate.js';
export { migrations, type Migration } from './migrations/index.js';
export { postgresStore, type PostgresStoreOptions } from './postgres-store.js';
export { pollingScheduler, type PollingSchedulerOptions } from './scheduler/polling-scheduler.js';
export { withTransaction, type TransactionPorts, type WithTransactionOptions } from './with-transaction.js';
