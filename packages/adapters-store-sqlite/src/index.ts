export { openSqlite, type SqliteDatabase, type SqliteOptions } from './database.js';
export { sqliteDump, type SqliteDump } from './sqlite-dump.js';
export { sqliteKycVault, type SqliteKycVault, type SqliteKycVaultOptions } from './kyc-vault.js';
export { sqliteLegsStore } from './legs-store.js';
export { lockFile, type HeldLock } from './lock-file.js';
export { InstallationError, type Backlog } from '@gateramp/core/ports';
export { sqliteOperator, type SqliteOperator } from './operator.js';
export { sqliteSandboxLedger, type LedgerOperation, type SqliteSandboxLedger } from './sandbox-ledger.js';
export { sqliteStore, type SqliteStore } from './sqlite-store.js';
