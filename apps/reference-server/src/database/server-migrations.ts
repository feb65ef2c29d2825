import type { Migration } from '@gateramp/adapters-store-postgres';
import { SCHEMA } from './schema.js';

/** What this server keeps beside the store's tables. One that was released is never edited. */
export const serverMigrations: readonly Migration[] = [
  {
    number: 1,
    name: 'sandbox-operations',
    sql: `create table ${SCHEMA}.sandbox_operations (
      operation_id text collate "C" primary key,
      version int not null,
      operation json not null
    )`,
  },
  {
    number: 2,
    name: 'sessions-held',
    // Few sessions are held at any moment; counting them for the metrics must not read the others.
    sql: `create index if not exists sessions_held on ${SCHEMA}.sessions (mode) where is_held`,
  },
];
