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
  {
    number: 3,
    name: 'sandbox-operations-ended',
    // When an operation came to rest, so that those which did long ago are found. Null: it has not.
    sql: `alter table ${SCHEMA}.sandbox_operations add column ended_at bigint;
      update ${SCHEMA}.sandbox_operations set ended_at = greatest(
          (operation->>'updatedAt')::bigint, (operation#>>'{state,ending,at}')::bigint, (operation#>>'{state,ending,returned,at}')::bigint)
        where operation#>>'{state,step}' in ('failed', 'cancelled') or operation#>>'{state,ending,at}' is not null;
      create index sandbox_operations_ended on ${SCHEMA}.sandbox_operations ((operation->>'mode'), ended_at) where ended_at is not null`,
  },
];
