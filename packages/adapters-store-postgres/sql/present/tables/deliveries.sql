-- Nothing that changes when a first attempt succeeds is in an index, and a page has room for a second version of each of its rows: one
-- statement rewrites all of them in place (heap-only updates).
create table gate.deliveries (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  status text collate "C" not null,
  created_at bigint not null,
  ended_at bigint,
  row json not null,
  -- A column, as an index on a condition over status would count status as indexed.
  troubled boolean not null generated always as ((status = ANY (ARRAY['retrying'::text, 'dead_lettered'::text]))) stored,
  primary key (partner_id, mode, id)
) with (fillfactor = 40);

-- Deliveries end soon after they were made, so this order serves to find those that ended long ago.
create index deliveries_by_age on gate.deliveries
  (mode, created_at);

create index deliveries_of_event on gate.deliveries
  (event_id);

create index deliveries_troubled on gate.deliveries
  (partner_id, mode, id)
  where troubled;
