create table gate.tasks (
  id text collate "C" not null,
  mode text collate "C" not null,
  -- When it is free to take; null when it is done or parked.
  free_at bigint,
  lease_token text,
  lease_until bigint,
  claims integer not null,
  done_at bigint,
  row json not null,
  primary key (id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create index tasks_done on gate.tasks
  (mode, done_at)
  where (done_at IS NOT NULL);

create index tasks_due on gate.tasks
  (mode, free_at, id)
  where (free_at IS NOT NULL);
