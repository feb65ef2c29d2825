export { citus } from './citus.js';
export { citusMigrations, migrateCitus } from './migrations.js';
