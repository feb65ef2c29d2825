/**
 * Tables of work grow and shrink by the thousands between two looks of the statistics collector, so no plan may depend on what it believes:
 * every look goes along an index in its order and stops, every join looks its rows up. Without this, a plan made while a table was small
 * reads all that is due at every claim.
 *
 * An endpoint's rows are found by lane and endpoint alone. As long as its index began with the mode, the index of what is due looked just as
 * good to the planner, which then read everybody's rows to find those of one.
 *
 * Settling a delivery rewrites its row in place (a heap-only update): nothing that changes when a first attempt succeeds is in an index.
 */
export const cheaperWork = `
alter function gate.claim_delivery(text, text, bigint, bigint, text) set enable_bitmapscan = off;
alter function gate.claim_delivery(text, text, bigint, bigint, text) set enable_hashjoin = off;
alter function gate.claim_delivery(text, text, bigint, bigint, text) set enable_mergejoin = off;
alter function gate.claim_tasks(bigint, bigint, int, bigint, text) set enable_bitmapscan = off;
alter function gate.claim_tasks(bigint, bigint, int, bigint, text) set enable_hashjoin = off;
alter function gate.claim_tasks(bigint, bigint, int, bigint, text) set enable_mergejoin = off;
alter function gate.claim_tasks(bigint, bigint, int, bigint, text) set enable_sort = off;

drop index gate.delivery_queue_fair;
create index delivery_queue_fair on gate.delivery_queue (lane, endpoint, free_at, id);

create or replace function gate.claim_deliveries(
  p_lane text, p_now_test bigint, p_now_live bigint, p_limit int, p_per_endpoint int, p_lease_ms bigint, p_token text
) returns table (
  delivery text, lease_token text, lease_until bigint, claims int,
  id text, partner_id text, mode text, session_id text, sequence int, type text, created_at bigint, body text
) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  due int;
  -- Few enough to look at all of them; beyond that only the head of each endpoint is looked for.
  few int := 4 * p_limit;
  endpoints text[];
  modes text[];
begin
  select sum(w.due), array_agg(w.endpoint), array_agg(w.mode) into due, endpoints, modes from (
    select q.endpoint, q.mode, count(*) as due from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
    cross join lateral (
      select q.endpoint, q.mode from gate.delivery_queue q
      where q.mode = c.mode and q.lane = p_lane and q.free_at <= c.now order by q.free_at, q.id limit few) q
    group by q.endpoint, q.mode) w;
  if due is null then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane, 0));

  if due >= few then
    with recursive heads(endpoint, mode, free_at) as (
        (select q.endpoint, q.mode, q.free_at from gate.delivery_queue q where q.lane = p_lane order by q.endpoint, q.free_at limit 1)
      union all
        select h.endpoint, h.mode, h.free_at from heads p
        cross join lateral (
          select q.endpoint, q.mode, q.free_at from gate.delivery_queue q
          where q.lane = p_lane and q.endpoint > p.endpoint order by q.endpoint, q.free_at limit 1) h),
      late as (select endpoint, mode, case mode when 'test' then p_now_test else p_now_live end - free_at as late from heads),
      -- A round takes one of each endpoint, so no more endpoints than rows can have a turn.
      open as (
        select endpoint, mode from late
        where late >= 0 and p_per_endpoint > (
          select count(*) from gate.delivery_queue l where l.lane = p_lane and l.endpoint = late.endpoint and l.lease_token is not null
            and l.lease_until > case late.mode when 'test' then p_now_test else p_now_live end)
        order by late desc, endpoint limit p_limit)
    select array_agg(endpoint), array_agg(mode) into endpoints, modes from open;
  end if;

  return query
    with places as (
        select e.endpoint, c.now, p_per_endpoint - (
          select count(*) from gate.delivery_queue l
          where l.lane = p_lane and l.endpoint = e.endpoint and l.lease_token is not null and l.lease_until > c.now) as free
        from unnest(endpoints, modes) as e(endpoint, mode)
        cross join lateral (select case e.mode when 'test' then p_now_test else p_now_live end) as c(now)),
      candidates as (
        select d.id, p.now, p.now - d.free_at as late, row_number() over (partition by p.endpoint order by d.free_at, d.id) as turn
        from places p
        cross join lateral (
          select q.id, q.free_at from gate.delivery_queue q where q.lane = p_lane and q.endpoint = p.endpoint and q.free_at <= p.now
          order by q.free_at, q.id limit greatest(0, least(p_limit, p.free))) d),
      picked as (select id, now, late from candidates order by turn, late desc, id limit p_limit),
      locked as (
        select q.id, p.now, p.late from picked p join gate.delivery_queue q on q.id = p.id
        where q.free_at <= p.now for no key update of q skip locked),
      leased as (
        update gate.delivery_queue q
        set lease_token = p_token, lease_until = l.now + p_lease_ms, free_at = l.now + p_lease_ms, claims = q.claims + 1
        from locked l where q.id = l.id
        returning q.*, l.late)
    -- Read in the same breath: the statement that called us may be too old to see a delivery that was committed meanwhile.
    select d.row::text, q.lease_token, q.lease_until, q.claims,
        e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
      from leased q
      join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
      join gate.events e on e.id = q.event_id
      order by q.late desc, q.id;
end $$;

-- The heads of three indexes, whatever lies behind them.
create function gate.next_due(p_mode text) returns table (kind text, id text, free_at bigint) language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
  select * from (
      (select 'delivery', id, free_at from gate.delivery_queue where mode = p_mode and lane = 'first' order by free_at, id limit 1)
      union all
      (select 'delivery', id, free_at from gate.delivery_queue where mode = p_mode and lane = 'retry' order by free_at, id limit 1)
      union all
      (select 'task', id, free_at from gate.tasks where mode = p_mode and free_at is not null order by free_at, id limit 1)
    ) as heads (kind, id, free_at)
    order by free_at, id limit 1;
$$;

-- A column, as an index on a condition over status would count status as indexed.
alter table gate.deliveries add column troubled boolean not null generated always as (status in ('retrying', 'dead_lettered')) stored;
alter table gate.deliveries set (fillfactor = 60);
drop index gate.deliveries_troubled;
drop index gate.deliveries_ended;
create index deliveries_troubled on gate.deliveries (partner_id, mode, id) where troubled;
-- They end soon after they were made, so this order serves to find those that ended long ago.
create index deliveries_by_age on gate.deliveries (mode, created_at);

-- Settles those whose lease is still the token's and answers which; n is the caller's number.
create or replace function gate.settle_deliveries(p_settles json) returns int[] language sql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
  with w as materialized (
      select * from json_to_recordset(p_settles) as w(n int, token text, id text, partner text, mode text, lane text, free_at bigint,
        claims int, status text, ended_at bigint, row json, number int, attempt json)),
    ended as (
      delete from gate.delivery_queue q using w where q.id = w.id and q.mode = w.mode and q.lease_token = w.token and w.free_at is null
      returning w.*),
    queued as (
      update gate.delivery_queue q set lane = w.lane, free_at = w.free_at, lease_token = null, lease_until = null, claims = w.claims
      from w where q.id = w.id and q.mode = w.mode and q.lease_token = w.token and w.free_at is not null
      returning w.*),
    settled as (select * from ended union all select * from queued),
    moved as (
      update gate.deliveries d
      set status = s.status, ended_at = s.ended_at, row = s.row
      from settled s where d.partner_id = s.partner and d.mode = s.mode and d.id = s.id),
    tried as (
      insert into gate.delivery_attempts (delivery_id, number, row)
      select s.id, s.number, s.attempt from settled s where s.attempt is not null)
  select array_agg(n) from settled;
$$;
`;
