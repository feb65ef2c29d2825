-- Sandboxes that their partners have moved ahead have their own time. These functions are called while there are any;
-- otherwise nothing of this costs a claim. Their settings are those of `claims.sql`, for the same reasons.

create function gate.claim_deliveries_of_sandboxes(
  p_lane text, p_now_test bigint, p_now_live bigint, p_sandboxes text[], p_sandbox_nows bigint[], p_limit int, p_per_endpoint int,
  p_lease_ms bigint, p_token text
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
  nows bigint[];
begin
  -- As in `claim_deliveries`, by the time of the mode.
  foreach few in array array[16, 2 * p_limit] loop
    select sum(w.due), array_agg(w.endpoint), array_agg(w.now) into due, endpoints, nows from (
      select q.endpoint, q.now, count(*) as due from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
      cross join lateral (
        select q.endpoint, c.now from gate.delivery_queue q
        where q.mode = c.mode and q.lane = p_lane and q.due_at <= c.now and (q.lease_token is null or q.lease_until <= c.now)
        order by q.due_at, q.id limit few) q
      group by q.endpoint, q.now) w;
    exit when due is null or due < few;

    with recursive heads(endpoint, mode, due_at) as (
        (select q.endpoint, q.mode, q.due_at from gate.delivery_queue q where q.lane = p_lane order by q.endpoint, q.due_at limit 1)
      union all
        select h.endpoint, h.mode, h.due_at from heads p
        cross join lateral (
          select q.endpoint, q.mode, q.due_at from gate.delivery_queue q
          where q.lane = p_lane and q.endpoint > p.endpoint order by q.endpoint, q.due_at limit 1) h)
    select count(*), array_agg(h.endpoint) filter (where h.due_at <= c.now), array_agg(c.now) filter (where h.due_at <= c.now)
      into walked, endpoints, nows
      from (select * from heads limit most) h
      cross join lateral (select case h.mode when 'test' then p_now_test else p_now_live end) as c(now);
    exit when walked < most;
    most := null;
  end loop;

  -- A sandbox with its own time has one endpoint in a lane: its head tells whether anything is due.
  select array_agg(e.endpoint), array_agg(e.now) into endpoints, nows from (
    select d.endpoint, d.now from unnest(endpoints, nows) as d(endpoint, now) where d.endpoint <> all (p_sandboxes)
    union all
    select s.endpoint, s.now from unnest(p_sandboxes, p_sandbox_nows) as s(endpoint, now)
    where s.now >= (
      select q.due_at from gate.delivery_queue q where q.lane = p_lane and q.endpoint = s.endpoint order by q.due_at, q.id limit 1)) e;
  if endpoints is null then return; end if;
  perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane, 0));

  if cardinality(endpoints) > p_limit then
    select array_agg(o.endpoint), array_agg(o.now) into endpoints, nows from (
      select e.endpoint, e.now from unnest(endpoints, nows) as e(endpoint, now)
      cross join lateral (
        select w.due_at, w.leased from (
          select q.due_at, q.lease_until, count(*) filter (where q.lease_until > e.now) over ahead as leased
          from gate.delivery_queue q where q.lane = p_lane and q.endpoint = e.endpoint and q.due_at <= e.now
          window ahead as (order by q.due_at, q.id rows between unbounded preceding and 32 following)) w
        where (w.lease_until > e.now) is not true limit 1) free
      where free.leased < p_per_endpoint
      order by e.now - free.due_at desc, e.endpoint limit p_limit) o;
  end if;

  return query
    with candidates as (
        select d.at, e.now, e.now - d.due_at as late, d.id, d.leased,
          row_number() over (partition by e.endpoint order by d.due_at, d.id) as turn
        from unnest(endpoints, nows) as e(endpoint, now)
        cross join lateral (
          select w.at, w.due_at, w.id, w.leased from (
            select q.at, q.due_at, q.id, q.lease_until, count(*) filter (where q.lease_until > e.now) over ahead as leased
            from (
              select q.ctid as at, q.due_at, q.id, q.lease_until from gate.delivery_queue q
              where q.lane = p_lane and q.endpoint = e.endpoint and q.due_at <= e.now
              order by q.due_at, q.id limit p_per_endpoint + 32) q
            window ahead as (order by q.due_at, q.id rows between unbounded preceding and 32 following)) w
          where (w.lease_until > e.now) is not true limit p_limit) d),
      picked as (select at, now, late from candidates where leased + turn <= p_per_endpoint order by turn, late desc, id limit p_limit),
      locked as (
        select q.ctid as at, p.now, p.late from picked p join gate.delivery_queue q on q.ctid = p.at for no key update of q skip locked),
      leased as (
        update gate.delivery_queue q
        set lease_token = p_token, lease_until = l.now + p_lease_ms, claims = q.claims + 1
        from locked l where q.ctid = l.at
        returning q.*, l.late)
    select d.id, d.created_at, d.row::text, q.claims,
        e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
      from leased q
      join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
      join gate.events e on e.id = q.event_id
      order by q.late desc, q.id;
end $$;

create function gate.claim_tasks_of_sandboxes(
  p_now_test bigint, p_now_live bigint, p_partners text[], p_nows bigint[], p_limit int, p_lease_ms bigint, p_token text
) returns table (task text, mode text, claims int) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with candidates as (
        select t.id, c.now, c.now - t.free_at as late from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
        cross join lateral (
          select id, free_at from gate.tasks
          where mode = c.mode and free_at <= c.now and (c.mode = 'live' or row ->> 'partnerId' <> all (p_partners))
          order by free_at, id limit p_limit for no key update skip locked) t
      union all
        select t.id, s.now, s.now - t.free_at from unnest(p_partners, p_nows) as s(partner, now)
        cross join lateral (
          select id, free_at from gate.tasks where row ->> 'partnerId' = s.partner and mode = 'test' and free_at <= s.now
          order by free_at, id limit p_limit for no key update skip locked) t),
      picked as (select * from candidates order by late desc, id limit p_limit),
      leased as (
        update gate.tasks t
        set lease_token = p_token, lease_until = p.now + p_lease_ms, free_at = p.now + p_lease_ms, claims = t.claims + 1
        from picked p where t.id = p.id
        returning t.*, p.late)
    select row::text, mode, claims from leased order by late desc, id;
end $$;

create function gate.sandboxes_due(
  p_partners text[], p_ahead bigint[], p_lanes text[], p_suffixes text[], p_tasks boolean, p_limit int
) returns table (kind text, id text, partner_id text, free_at bigint) language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with endpoints as (
        select s.partner, s.ahead, l.lane, s.partner || l.suffix as endpoint
        from unnest(p_partners, p_ahead) as s(partner, ahead) cross join unnest(p_lanes, p_suffixes) as l(lane, suffix)),
      free as (
        select e.partner, e.ahead, e.lane, e.endpoint, q.id, q.due_at from endpoints e
        left join lateral (
          select id, due_at from gate.delivery_queue
          where lane = e.lane and endpoint = e.endpoint and lease_token is null order by due_at, id limit p_limit) q on true),
      -- Leased rows that were due after as many free rows as are wanted cannot be among the first.
      last as (
        select partner, ahead, lane, endpoint, count(due_at) as found, max(due_at) as due_at from free group by 1, 2, 3, 4),
      leased as (
        select l.partner, l.ahead, q.id, q.lease_until from last l
        cross join lateral (
          select id, lease_until from gate.delivery_queue
          where lane = l.lane and endpoint = l.endpoint and lease_token is not null
            and due_at <= case when l.found < p_limit then 9223372036854775807 else l.due_at end
          order by lease_until, id limit p_limit) q),
      tasks as (
        select s.partner, s.ahead, t.id, t.free_at from unnest(p_partners, p_ahead) as s(partner, ahead)
        cross join lateral (
          select id, free_at from gate.tasks where p_tasks and row ->> 'partnerId' = s.partner and mode = 'test' and free_at is not null
          order by free_at, id limit p_limit) t)
    select h.kind, h.id, h.partner, h.free_at from (
        select 'delivery', id, partner, ahead, due_at from free where id is not null
        union all select 'delivery', id, partner, ahead, lease_until from leased
        union all select 'task', id, partner, ahead, free_at from tasks
      ) as h(kind, id, partner, ahead, free_at)
      order by h.free_at - h.ahead, h.id limit p_limit;
end $$;
comment on function gate.sandboxes_due is
  'The next due items of sandboxes, each by its own time, which is `p_ahead` milliseconds ahead of that of test mode.';
