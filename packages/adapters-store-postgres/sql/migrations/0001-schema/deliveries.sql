-- Deliveries, the queue of those that are not done, and the results of attempts.

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
  row json not null,
  attempts json[],
  kind text collate "C" generated always as
    (case when is_webhook then case when status in ('retrying', 'dead_lettered') then status else 'quiet' end end) stored,
  primary key (partner_id, mode, id)
) with (fillfactor = 22);
comment on table gate.deliveries is
  'No index contains what changes when a first attempt succeeds, and a page has room for a second version of each row, so one statement
rewrites all of them in place (heap-only updates).';
comment on column gate.deliveries.row is
  'Only what the columns do not contain and what differs from a new delivery: most deliveries succeed at the first attempt, and their
rows are written and read several times.';
comment on column gate.deliveries.attempts is
  'In their order. Kept in the row, which the end of an attempt rewrites anyway, instead of in a table and an index of their own.';
comment on column gate.deliveries.kind is
  'What lists filter by; null if the partner does not see the delivery. A column, since an index on the status would be written again
when a first attempt succeeds.';
create index deliveries_by_creation on gate.deliveries (mode collate "POSIX", created_at);
comment on index gate.deliveries_by_creation is
  'Deliveries end soon after they were made, so this order finds those that ended long ago. "POSIX" is the order of "C" under another
name: a look-up by key cannot use this index, so a kept plan does not read more as the table grows.';
create index deliveries_of_event on gate.deliveries (event_id);
create index deliveries_listed on gate.deliveries (partner_id collate "POSIX", mode, kind, event_type, id) where kind is not null;

create table gate.delivery_queue (
  id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  lane text collate "C" not null,
  endpoint text collate "C" not null,
  event_id text collate "C" not null,
  due_at bigint not null,
  lease_token text,
  lease_until bigint,
  claims int not null
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
comment on table gate.delivery_queue is
  'The deliveries that are not done. Apart from `deliveries`, so that a lease rewrites a narrow row. No index contains leases, and a
page has room for a second version of each row, so a lease rewrites no index. Claims skip leased rows: they are at the head of what is
due, and no more than workers have capacity for.';
create index delivery_queue_due on gate.delivery_queue (mode, lane, due_at, id);
create index delivery_queue_fair on gate.delivery_queue (lane, endpoint, due_at, id);
comment on index gate.delivery_queue_fair is
  'Does not begin with the mode: otherwise the planner would find the index of due rows just as good.';

create table gate.endpoint_health (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  consecutive_failures int not null,
  last_success_at bigint,
  last_failure_at bigint,
  last_error text,
  primary key (partner_id, mode)
) with (fillfactor = 50);
comment on table gate.endpoint_health is
  'How attempts at webhook endpoints end. Successes of a healthy endpoint are recorded once a minute, so most results only read this
table.';

-- The lanes of consumers come from their registration, so no list of lanes reads the rows of a lane: its head may be dead index
-- entries, which vacuum cannot remove while a transaction holds a snapshot. Only the gaps between known lanes are searched, for lanes
-- that are not registered.

create function gate.lanes_of(p_mode text) returns setof text language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
as $$
  with recursive known(lane) as (
      select lane collate "C" from (values ('first'), ('paused'), ('retry')) as built_in(lane)
      union select ('consumer:' || name || '/' || type) collate "C" from gate.consumers),
    gaps as (
      -- '~' sorts after the name of every lane.
      select lane as last, lead(lane, 1, '~' collate "C") over (order by lane) as upto from known
      union all select '' collate "C", min(lane) from known),
    others(lane, upto) as (
        select n.lane, g.upto from gaps g
        cross join lateral (
          select lane from gate.delivery_queue
          where mode = p_mode and lane > g.last and lane < g.upto order by lane limit 1) n
      union all
        select n.lane, o.upto from others o
        cross join lateral (
          select lane from gate.delivery_queue
          where mode = p_mode and lane > o.lane and lane < o.upto order by lane limit 1) n)
  select lane from known union all select lane from others;
$$;
comment on function gate.lanes_of is 'All lanes that may have deliveries: the known lanes, and any other that has deliveries.';

-- A statement over partitioned tables opens every partition that is not pruned by values known before it runs. So results pass the
-- first and last id that they look up. The range is written as a union, which prunes partitions but cannot become an index condition:
-- plans made for an empty table would scan that range.

create function gate.record_deliveries(
  p_token text[], p_id text[], p_partner text[], p_mode text[], p_lane text[], p_due_at bigint[], p_claims int[],
  p_status text[], p_ended_at bigint[], p_row json[], p_attempt json[],
  p_tried_at bigint[], p_failure text[]
) returns int[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  ended int[];
  queued int[] := '{}';
  recorded int[];
  first_id text;
  last_id text;
  said_partner text[];
  said_mode text[];
  said_success_at bigint[];
  said_failure_at bigint[];
  said_failures bigint[];
  said_failure text[];
begin
  -- Rows are looked up one by one and then joined by ctid. While statistics said that the queue was empty, a join by key was planned from
  -- the queue's side and read all of it, including the dead rows that a held snapshot keeps.
  with mine as (
      select w.n, w.token, q.at from unnest(p_token, p_id, p_mode, p_due_at) with ordinality as w(token, id, mode, due_at, n)
      cross join lateral (
        select q.ctid as at from gate.delivery_queue q
        where q.id = w.id and q.mode collate "POSIX" = w.mode and q.lease_token = w.token limit 1) q
      where w.due_at is null),
    gone as (
      delete from gate.delivery_queue q using mine m where q.ctid = m.at and q.lease_token = m.token
      returning m.n)
    select coalesce(array_agg(n), '{}') into ended from gone;
  if cardinality(ended) < cardinality(p_id) then
    with mine as (
        select w.*, q.at
        from unnest(p_token, p_id, p_mode, p_lane, p_due_at, p_claims) with ordinality as w(token, id, mode, lane, due_at, claims, n)
        cross join lateral (
          select q.ctid as at from gate.delivery_queue q
          where q.id = w.id and q.mode collate "POSIX" = w.mode and q.lease_token = w.token limit 1) q
        where w.due_at is not null),
      back as (
        update gate.delivery_queue q set lane = m.lane, due_at = m.due_at, lease_token = null, lease_until = null, claims = m.claims
        from mine m where q.ctid = m.at and q.lease_token = m.token
        returning m.n)
      select coalesce(array_agg(n), '{}') into queued from back;
  end if;
  recorded := ended || queued;
  select min(w.id collate "C"), max(w.id collate "C") into first_id, last_id from unnest(p_id) as w(id);
  update gate.deliveries d set status = w.status, ended_at = w.ended_at, row = w.row,
      attempts = case when w.attempt is null then d.attempts else array_append(d.attempts, w.attempt) end
    from unnest(p_id, p_partner, p_mode, p_status, p_ended_at, p_row, p_attempt) with ordinality
      as w(id, partner, mode, status, ended_at, row, attempt, n)
    where w.n = any (recorded) and d.partner_id = w.partner and d.mode = w.mode and d.id = w.id
      and (d.id >= first_id and d.id <= last_id or d.id = first_id);
  -- Without failures, only the last success of each endpoint matters, and not the order of the results.
  if cardinality(array_remove(p_failure, null)) = 0 then
    select array_agg(s.partner), array_agg(s.mode), array_agg(s.at) into said_partner, said_mode, said_success_at from (
      select w.partner, w.mode, max(w.at) as at from unnest(p_partner, p_mode, p_tried_at) with ordinality as w(partner, mode, at, n)
      where w.at is not null and w.n = any (recorded) group by w.partner, w.mode) s;
  else
    with w as (
        select *, max(n) filter (where failure is null) over (partition by partner, mode) as healed
        from unnest(p_partner, p_mode, p_tried_at, p_failure) with ordinality as w(partner, mode, at, failure, n)
        where w.n = any (recorded) and w.at is not null),
      said as (
        select partner, mode, max(at) filter (where failure is null) as success_at, max(at) filter (where failure is not null) as failure_at,
          count(*) filter (where failure is not null and n > coalesce(healed, 0)) as failures,
          (array_agg(failure order by n desc) filter (where failure is not null))[1] as failure
        from w group by partner, mode)
      select array_agg(partner), array_agg(mode), array_agg(success_at), array_agg(failure_at), array_agg(failures), array_agg(failure)
        into said_partner, said_mode, said_success_at, said_failure_at, said_failures, said_failure from said;
  end if;
  -- In one order, so that two batches cannot deadlock.
  insert into gate.endpoint_health as h (partner_id, mode, consecutive_failures, last_success_at, last_failure_at, last_error)
    select s.partner, s.mode, coalesce(s.failures, 0), s.success_at, s.failure_at, s.failure
    from unnest(said_partner, said_mode, said_success_at, said_failure_at, said_failures, said_failure)
      as s(partner, mode, success_at, failure_at, failures, failure)
    left join gate.endpoint_health k on k.partner_id = s.partner and k.mode = s.mode
    where s.failure_at is not null or k.last_success_at is null or k.consecutive_failures > 0 or s.success_at - k.last_success_at >= 60000
    order by s.partner, s.mode
    on conflict (partner_id, mode) do update set
      consecutive_failures = excluded.consecutive_failures + case when excluded.last_success_at is null then h.consecutive_failures else 0 end,
      last_success_at = greatest(h.last_success_at, excluded.last_success_at),
      last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at),
      last_error = coalesce(excluded.last_error, h.last_error);
  return recorded;
end $$;
comment on function gate.record_deliveries is
  'Records the results of deliveries whose lease token still matches, and returns their ordinals, from 1. One array per column: JSON
would be parsed three times. In plpgsql, since Postgres up to 17 plans the body of an SQL function at every call.';
