create function gate.claim_deliveries(
  p_lane text,
  p_now_test bigint,
  p_now_live bigint,
  p_limit integer,
  p_per_endpoint integer,
  p_lease_ms bigint,
  p_token text
) returns table (
  delivery_id text,
  owed_since bigint,
  delivery text,
  claims integer,
  id text,
  partner_id text,
  mode text,
  session_id text,
  sequence integer,
  type text,
  created_at bigint,
  body text
)
language plpgsql
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
set enable_sort = off
set jit = off
set plan_cache_mode = force_generic_plan
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
