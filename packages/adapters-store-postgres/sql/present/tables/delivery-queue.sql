-- What is still to be delivered. Apart from the deliveries, so that a lease rewrites a narrow row and no index of the
-- list.
create table gate.delivery_queue (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  lane text collate "C" not null,
  endpoint text collate "C" not null,
  event_id text collate "C" not null,
  -- When it is free to take: its due time, or the end of its lease.
  free_at bigint not null,
  lease_token text,
  lease_until bigint,
  claims integer not null,
  primary key (id)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create index delivery_queue_due on gate.delivery_queue
  (mode, lane, free_at, id);

-- Begins with what only it has: beginning with the mode, the index of what is due would look just as good to the
-- planner.
create index delivery_queue_fair on gate.delivery_queue
  (lane, endpoint, free_at, id);

create index delivery_queue_leased on gate.delivery_queue
  (lane, endpoint, lease_until)
  where (lease_token IS NOT NULL);
