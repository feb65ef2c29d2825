create function gate.claim_deliveries(
  p_lane text,
  p_now_test bigint,
  p_now_live bigint,
  p_limit integer,
  p_per_endpoint integer,
  p_lease_ms bigint,
  p_token text
) returns table (
  delivery text,
  lease_token text,
  lease_until bigint,
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
