/**
 * The books of the sandbox provider. The reference server has kept them in this very table before the store did, so each step leaves alone what
 * is there already. `ended_at` is when an operation came to rest, so that those which did long ago are found; null: it has not.
 */
export const sandboxOperations = `
create table if not exists gate.sandbox_operations (
  operation_id text collate "C" primary key,
  version int not null,
  operation json not null
);
alter table gate.sandbox_operations add column if not exists ended_at bigint;
update gate.sandbox_operations set ended_at = greatest(
    (operation->>'updatedAt')::bigint, (operation#>>'{state,ending,at}')::bigint, (operation#>>'{state,ending,returned,at}')::bigint)
  where ended_at is null and (operation#>>'{state,step}' in ('failed', 'cancelled') or operation#>>'{state,ending,at}' is not null);
create index if not exists sandbox_operations_ended on gate.sandbox_operations ((operation->>'mode'), ended_at) where ended_at is not null;
`;
