-- What is still to be delivered. Apart from the deliveries, so that a lease rewrites a narrow row and no index of the
-- list. No index knows of leases, and a page has room for a second version of each of its rows, so a lease rewrites the
-- row in place and no index at all. Leased rows are passed over, at the head of what is due: there are no more of them
-- than workers have places.
create table gate.delivery_queue (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  lane text collate "C" not null,
  endpoint text collate "C" not null,
  event_id text collate "C" not null,
  due_at bigint not null,
  lease_token text,
  lease_until bigint,
  claims integer not null,
  primary key (id)
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);

create index delivery_queue_due on gate.delivery_queue
  (mode, lane, due_at, id);

-- Begins with what only it has: beginning with the mode, the index of what is due would look just as good to the
-- planner.
create index delivery_queue_fair on gate.delivery_queue
  (lane, endpoint, due_at, id);
