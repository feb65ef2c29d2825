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
  is_webhook boolean not null,
  -- What the columns do not tell, of that what is not as in every new delivery: most are delivered at the first attempt, and their rows are
  -- written and read several times.
  row json not null,
  -- In their order. In the row, which the end of an attempt rewrites anyhow, rather than in rows and an index of their own.
  attempts json[],
  -- What lists walk along, null where it is no partner's to see. A column, as an index on status would be rewritten when
  -- a first attempt succeeds.
  kind text collate "C" generated always as (
CASE
    WHEN is_webhook THEN
    CASE
        WHEN (status = ANY (ARRAY['retrying'::text, 'dead_lettered'::text])) THEN status
        ELSE 'quiet'::text
    END
    ELSE NULL::text
END) stored,
  primary key (partner_id, mode, id)
) with (fillfactor = 22);

-- Deliveries end soon after they were made, so this order serves to find those that ended long ago.
create index deliveries_by_creation on gate.deliveries
  (mode collate "POSIX", created_at);

create index deliveries_listed on gate.deliveries
  (partner_id collate "POSIX", mode, kind, event_type, id)
  where (kind IS NOT NULL);

create index deliveries_of_event on gate.deliveries
  (event_id);
