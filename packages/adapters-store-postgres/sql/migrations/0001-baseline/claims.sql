-- Leasing. Claims of one lane run one after another (the lock lives in the claiming statement and ends with it), so an
-- endpoint's share is exact however many workers race; a claim that finds nothing due takes no lock and writes nothing.
--
-- Tables of work grow and shrink by the thousands between two looks of the statistics collector, so no plan may depend
-- on what it believes: every look goes along an index in its order and stops, every join looks its rows up. Without
-- this, a plan made while a table was small reads all that is due at every claim.
--
-- Postgres up to 17 says "not this way" by adding 1e10 to a cost, and takes a plan that costs so much for one worth
-- compiling. With LLVM, which distributions and most hosts ship, that took up to a second at each claim. So whatever
-- steers the planner also keeps it from compiling (`jit = off`). A later `create or replace` of a function drops its
-- settings: it has to say all of them again.

create function gate.claim_deliveries(
  p_lane text, p_now_test bigint, p_now_live bigint, p_limit int, p_per_endpoint int, p_lease_ms bigint, p_token text
) returns table (
  delivery_id text, owed_since bigint, delivery text, claims int,
  id text, partner_id text, mode text, session_id text, sequence int, type text, created_at bigint, body text
) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  due int;
  few int;
  walked int;
  most int := 64;
  endpoints text[];
  modes text[];
begin
  -- A lane with little in it is looked through, and one of few endpoints is walked from one to the next: most lanes are
  -- one or the other, whatever waits in them. Of the rest, only a long one is worth a walk over all its endpoints.
  foreach few in array array[16, 2 * p_limit] loop
    select sum(w.due), array_agg(w.endpoint), array_agg(w.mode) into due, endpoints, modes from (
      select q.endpoint, q.mode, count(*) as due from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
      cross join lateral (
        select q.endpoint, q.mode from gate.delivery_queue q
        where q.mode = c.mode and q.lane = p_lane and q.due_at <= c.now and (q.lease_token is null or q.lease_until <= c.now)
        order by q.due_at, q.id limit few) q
      group by q.endpoint, q.mode) w;
    if due is null then return; end if;
    exit when due < few;

    with recursive heads(endpoint, mode, due_at) as (
        (select q.endpoint, q.mode, q.due_at from gate.delivery_queue q where q.lane = p_lane order by q.endpoint, q.due_at limit 1)
      union all
        select h.endpoint, h.mode, h.due_at from heads p
        cross join lateral (
          select q.endpoint, q.mode, q.due_at from gate.delivery_queue q
          where q.lane = p_lane and q.endpoint > p.endpoint order by q.endpoint, q.due_at limit 1) h)
    select count(*), array_agg(h.endpoint) filter (where h.due_at <= c.now), array_agg(h.mode) filter (where h.due_at <= c.now)
      into walked, endpoints, modes
      from (select * from heads limit most) h
      cross join lateral (select case h.mode when 'test' then p_now_test else p_now_live end) as c(now);
    exit when walked < most;
    most := null;
  end loop;
  perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane, 0));

  -- A round takes one of each endpoint, so no more endpoints than rows can have a turn: those that have a place and wait the longest.
  if cardinality(endpoints) > p_limit then
    select array_agg(o.endpoint), array_agg(o.mode) into endpoints, modes from (
      select e.endpoint, e.mode from unnest(endpoints, modes) as e(endpoint, mode)
      cross join lateral (select case e.mode when 'test' then p_now_test else p_now_live end) as c(now)
      cross join lateral (
        select w.due_at, w.leased from (
          select q.due_at, q.lease_until, count(*) filter (where q.lease_until > c.now) over ahead as leased
          from gate.delivery_queue q where q.lane = p_lane and q.endpoint = e.endpoint and q.due_at <= c.now
          window ahead as (order by q.due_at, q.id rows between unbounded preceding and 32 following)) w
        where (w.lease_until > c.now) is not true limit 1) free
      where free.leased < p_per_endpoint
      order by c.now - free.due_at desc, e.endpoint limit p_limit) o;
  end if;

  return query
    with candidates as (
        select d.at, c.now, c.now - d.due_at as late, d.id, d.leased,
          row_number() over (partition by e.endpoint order by d.due_at, d.id) as turn
        from unnest(endpoints, modes) as e(endpoint, mode)
        cross join lateral (select case e.mode when 'test' then p_now_test else p_now_live end) as c(now)
        -- Leased rows are those that were due first, so whoever walks to the free ones has counted them. A few rows that
        -- were committed late may stand in front: the count looks ahead.
        cross join lateral (
          select w.at, w.due_at, w.id, w.leased from (
            select q.at, q.due_at, q.id, q.lease_until, count(*) filter (where q.lease_until > c.now) over ahead as leased
            -- Whatever stands further behind has no place, leased or free as those in front may be.
            from (
              select q.ctid as at, q.due_at, q.id, q.lease_until from gate.delivery_queue q
              where q.lane = p_lane and q.endpoint = e.endpoint and q.due_at <= c.now
              order by q.due_at, q.id limit p_per_endpoint + 32) q
            window ahead as (order by q.due_at, q.id rows between unbounded preceding and 32 following)) w
          where (w.lease_until > c.now) is not true limit p_limit) d),
      picked as (select at, now, late from candidates where leased + turn <= p_per_endpoint order by turn, late desc, id limit p_limit),
      locked as (
        select q.ctid as at, p.now, p.late from picked p join gate.delivery_queue q on q.ctid = p.at for no key update of q skip locked),
      leased as (
        update gate.delivery_queue q
        set lease_token = p_token, lease_until = l.now + p_lease_ms, claims = q.claims + 1
        from locked l where q.ctid = l.at
        returning q.*, l.late)
    -- Read in the same breath: the statement that called us may be too old to see a delivery that was committed meanwhile.
    select d.id, d.created_at, d.row::text, q.claims,
        e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
      from leased q
      join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
      join gate.events e on e.id = q.event_id
      order by q.late desc, q.id;
end $$;

create function gate.claim_delivery(p_mode text, p_id text, p_now bigint, p_lease_ms bigint, p_token text) returns table (
  delivery_id text, owed_since bigint, delivery text, claims int,
  id text, partner_id text, mode text, session_id text, sequence int, type text, created_at bigint, body text
) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with leased as (
      update gate.delivery_queue q set lease_token = p_token, lease_until = p_now + p_lease_ms, claims = q.claims + 1
      where q.id = p_id and q.mode collate "POSIX" = p_mode and q.due_at <= p_now and (q.lease_token is null or q.lease_until <= p_now)
      returning q.*)
    select d.id, d.created_at, d.row::text, q.claims,
        e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
      from leased q
      join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
      join gate.events e on e.id = q.event_id;
end $$;

create function gate.claim_tasks(p_now_test bigint, p_now_live bigint, p_limit int, p_lease_ms bigint, p_token text)
returns table (task text, mode text, claims int) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with candidates as (
        select t.id, c.now, c.now - t.free_at as late from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
        cross join lateral (
          select id, free_at from gate.tasks where mode = c.mode and free_at <= c.now
          order by free_at, id limit p_limit for no key update skip locked) t),
      picked as (select * from candidates order by late desc, id limit p_limit),
      leased as (
        update gate.tasks t
        set lease_token = p_token, lease_until = p.now + p_lease_ms, free_at = p.now + p_lease_ms, claims = t.claims + 1
        from picked p where t.id = p.id
        returning t.*, p.late)
    select row::text, mode, claims from leased order by late desc, id;
end $$;
