-- The books of the sandbox provider.
create table gate.sandbox_operations (
  operation_id text collate "C" not null,
  version integer not null,
  operation json not null,
  -- When the operation came to rest; null: it has not.
  ended_at bigint,
  primary key (operation_id)
);

create index sandbox_operations_ended on gate.sandbox_operations
  (((operation ->> 'mode'::text)), ended_at)
  where (ended_at IS NOT NULL);
