/**
 * Leasing. Claims of one lane run one after another (the lock lives in the claiming statement and ends with it), so an endpoint's share is
 * exact however many workers race; a claim that finds nothing due takes no lock and writes nothing.
 */
export const work = `
create function gate.claim_deliveries(
  p_lane text, p_now_test bigint, p_now_live bigint, p_limit int, p_per_endpoint int, p_lease_ms bigint, p_token text
) returns table (
  delivery text, lease_token text, lease_until bigint, claims int,
  id text, partner_id text, mode text, session_id text, sequence int, type text, created_at bigint, body text
) language plpgsql
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  due int;
  -- Few enough to look at all of them; beyond that only the head of each endpoint is looked for.
  few int := 4 * p_limit;
  endpoints text[];
begin
  if not exists (select from gate.delivery_queue where mode = 'test' and lane = p_lane and free_at <= p_now_test)
    and not exists (select from gate.delivery_queue where mode = 'live' and lane = p_lane and free_at <= p_now_live) then return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane, 0));

  select count(*), array_agg(distinct w.endpoint) into due, endpoints from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
    cross join lateral (
      select q.endpoint from gate.delivery_queue q
      where q.mode = c.mode and q.lane = p_lane and q.free_at <= c.now order by q.free_at, q.id limit few) w;
  if due >= few then
    with recursive heads(mode, now, endpoint, free_at) as (
        select c.mode, c.now, h.endpoint, h.free_at from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
        cross join lateral (
          select q.endpoint, q.free_at from gate.delivery_queue q
          where q.mode = c.mode and q.lane = p_lane order by q.endpoint, q.free_at limit 1) h
      union all
        select p.mode, p.now, h.endpoint, h.free_at from heads p
        cross join lateral (
          select q.endpoint, q.free_at from gate.delivery_queue q
          where q.mode = p.mode and q.lane = p_lane and q.endpoint > p.endpoint order by q.endpoint, q.free_at limit 1) h),
      -- A round takes one of each endpoint, so no more endpoints than rows can have a turn.
      open as (
        select h.endpoint from heads h
        where h.free_at <= h.now and p_per_endpoint > (
          select count(*) from gate.delivery_queue l
          where l.lane = p_lane and l.endpoint = h.endpoint and l.lease_token is not null and l.lease_until > h.now)
        order by h.now - h.free_at desc, h.endpoint limit p_limit)
    select array_agg(o.endpoint) into endpoints from open o;
  end if;

  return query
    with clocks as (select * from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)),
      candidates as (
        select d.id, c.now, c.now - d.free_at as late, row_number() over (partition by e.endpoint order by d.free_at, d.id) as turn
        from clocks c cross join unnest(endpoints) as e(endpoint)
        cross join lateral (
          select q.id, q.free_at from gate.delivery_queue q
          where q.mode = c.mode and q.lane = p_lane and q.endpoint = e.endpoint and q.free_at <= c.now
          order by q.free_at, q.id
          limit greatest(0, least(p_limit, p_per_endpoint - (
            select count(*) from gate.delivery_queue l
            where l.lane = p_lane and l.endpoint = e.endpoint and l.lease_token is not null and l.lease_until > c.now)))) d),
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

create function gate.claim_delivery(p_mode text, p_id text, p_now bigint, p_lease_ms bigint, p_token text) returns table (
  delivery text, lease_token text, lease_until bigint, claims int,
  id text, partner_id text, mode text, session_id text, sequence int, type text, created_at bigint, body text
) language sql
set enable_seqscan = off
as $$
  with leased as (
    update gate.delivery_queue
    set lease_token = p_token, lease_until = p_now + p_lease_ms, free_at = p_now + p_lease_ms, claims = claims + 1
    where id = p_id and mode = p_mode and free_at <= p_now
    returning *)
  select d.row::text, q.lease_token, q.lease_until, q.claims,
      e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
    from leased q
    join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
    join gate.events e on e.id = q.event_id;
$$;

create function gate.claim_tasks(p_now_test bigint, p_now_live bigint, p_limit int, p_lease_ms bigint, p_token text)
returns table (task text, lease_token text, lease_until bigint, claims int) language sql
set enable_seqscan = off
as $$
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
  select row::text, lease_token, lease_until, claims from leased order by late desc, id;
$$;

-- Settles those whose lease is still the token's and answers which; n is the caller's number.
create function gate.settle_deliveries(p_settles json) returns int[] language sql
set enable_seqscan = off
as $$
  with w as materialized (
      select * from json_to_recordset(p_settles) as w(n int, token text, id text, partner text, mode text, lane text, free_at bigint,
        claims int, status text, ended_at bigint, row json, number int, attempt json)),
    ended as (
      delete from gate.delivery_queue q using w where q.id = w.id and q.mode = w.mode and q.lease_token = w.token and w.free_at is null
      returning w.n),
    queued as (
      update gate.delivery_queue q set lane = w.lane, free_at = w.free_at, lease_token = null, lease_until = null, claims = w.claims
      from w where q.id = w.id and q.mode = w.mode and q.lease_token = w.token and w.free_at is not null
      returning w.n),
    settled as (select n from ended union all select n from queued),
    moved as (
      update gate.deliveries d set status = w.status, ended_at = w.ended_at, row = w.row
      from settled s join w on w.n = s.n where d.partner_id = w.partner and d.mode = w.mode and d.id = w.id),
    tried as (
      insert into gate.delivery_attempts (delivery_id, number, row)
      select w.id, w.number, w.attempt from settled s join w on w.n = s.n where w.attempt is not null)
  select array_agg(n) from settled;
$$;
`;
