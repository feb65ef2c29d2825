export { openSqlite, type SqliteDatabase, type SqliteOptions } from './database.js';
export { InstallationFault } from './migrations/migrate.js';
export { sqliteStore, type SqliteStore } from './sqlite-store.js';
