-- A statement over partitioned tables opens every partition that is not pruned by values known before it runs. Claims and records therefore
-- pass the first and last id that they look up, and the first and last creation time of events, whose ids may not contain it.
-- The range of ids is written as a union, which prunes partitions but cannot become an index condition: plans made for an empty table would
-- scan that range.
-- Otherwise, the functions are those of `0010-claims-past-dead-rows.sql`.

create or replace function gate.claim_due(
  p_lane text, p_now_test bigint, p_now_live bigint, p_sandboxes text[], p_sandbox_nows bigint[], p_position jsonb,
  p_limit int, p_per_endpoint int, p_lease_ms bigint, p_token text
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
  starts bigint[];
  v_position jsonb := nullif(p_position, '{}');
  next_position jsonb;
  read_before bigint := gate.dead_entries_read();
  is_slow boolean := p_position is not null;
  taken text[];
  owners text[];
  modes text[];
  event_ids text[];
  claimed int[];
  lates bigint[];
  first_id text;
  last_id text;
  first_event bigint;
  last_event bigint;
  keys int;
begin
  if p_position is null then
    -- Most lanes have few due rows, which are read in order, or few endpoints, which are visited one by one. Among the others, only a
    -- lane with many due rows is worth a visit to all its endpoints.
    foreach few in array array[16, 2 * p_limit] loop
      select sum(w.due), array_agg(w.endpoint), array_agg(w.now) into due, endpoints, nows from (
        select q.endpoint, q.now, count(*) as due from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)
        cross join lateral (
          select q.endpoint, c.now from gate.delivery_queue q
          where q.mode = c.mode and q.lane = p_lane and q.due_at <= c.now and (q.lease_token is null or q.lease_until <= c.now)
          order by q.due_at, q.id limit few) q
        group by q.endpoint, q.now) w;
      is_slow := gate.dead_entries_read() - read_before > 1000;
      exit when is_slow or due is null or due < few;

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
      is_slow := gate.dead_entries_read() - read_before > 1000;
      exit when is_slow or walked < most;
      most := null;
    end loop;

    -- A sandbox with its own clock has one endpoint in a lane, whose head shows whether anything is due.
    if p_sandboxes is not null and not is_slow then
      select array_agg(e.endpoint), array_agg(e.now) into endpoints, nows from (
        select d.endpoint, d.now from unnest(endpoints, nows) as d(endpoint, now) where d.endpoint <> all (p_sandboxes)
        union all
        select s.endpoint, s.now from unnest(p_sandboxes, p_sandbox_nows) as s(endpoint, now)
        where s.now >= (
          select q.due_at from gate.delivery_queue q where q.lane = p_lane and q.endpoint = s.endpoint order by q.due_at, q.id limit 1)) e;
    end if;
  end if;
  if is_slow and v_position is null then
    v_position := gate.lane_position(p_lane, p_now_test, p_now_live);
    -- A renewal may find that the dead entries are gone. Later claims then start at the head again.
    is_slow := gate.dead_entries_read() - read_before > 1000;
  end if;

  if v_position is not null then
    with clocks as (
        select c.mode, c.now, (v_position -> c.mode ->> 'due_at')::bigint as due_at, v_position -> c.mode ->> 'id' as id
        from (values ('test', p_now_test), ('live', p_now_live)) as c(mode, now)),
      -- Includes leased rows, which count towards the share of their endpoint.
      fresh as (
        select c.mode, q.endpoint, q.due_at, q.id from clocks c
        cross join lateral (
          select q.endpoint, q.due_at, q.id from gate.delivery_queue q
          where q.mode = c.mode and q.lane = p_lane and (q.due_at, q.id) > (c.due_at, c.id) and q.due_at <= c.now
          order by q.due_at, q.id limit 256) q),
      places as (
        select c.mode, c.now, c.due_at as start,
          case when count(f.id) < 256 then greatest(c.due_at, c.now - 1000) else max(f.due_at) end as due_at,
          case when count(f.id) < 256 then '' else (array_agg(f.id order by f.due_at desc, f.id desc))[1] end as id
        from clocks c left join fresh f on f.mode = c.mode
        group by c.mode, c.now, c.due_at),
      known as (
        select k.endpoint, max(k.mode) as mode, min(k.start) as start, max(k.own_now) as own_now from (
          select h.endpoint, h.mode, h.start, null::bigint as own_now
          from jsonb_to_recordset(v_position -> 'heads') as h(endpoint text, mode text, start bigint)
          union all select f.endpoint, f.mode, f.due_at, null::bigint from fresh f
          union all select s.endpoint, 'test', null::bigint, s.now from unnest(p_sandboxes, p_sandbox_nows) as s(endpoint, now)) k
        group by k.endpoint),
      heads as (
        select k.endpoint, k.mode, k.own_now, h.due_at, k.now, p.due_at as place,
          greatest(k.start, least(coalesce(h.due_at, k.now), k.now - 1000)) as start
        from places p
        cross join lateral (
          select k.endpoint, k.mode, k.own_now, coalesce(k.own_now, p.now) as now, coalesce(k.start, p.start) as start
          from known k where k.mode = p.mode) k
        left join lateral (
          select q.due_at from gate.delivery_queue q
          where q.lane = p_lane and q.endpoint = k.endpoint and q.due_at >= k.start order by q.due_at, q.id limit 1) h on true),
      -- An endpoint without rows before the place is dropped, and found again when it has a due row. A sandbox with its own clock is
      -- kept: its rows are not due by the clock of the mode.
      kept as (select * from heads where own_now is not null or due_at <= greatest(now, place))
      select array_agg(k.endpoint) filter (where k.due_at <= k.now), array_agg(k.now) filter (where k.due_at <= k.now),
        array_agg(k.start) filter (where k.due_at <= k.now),
        (select jsonb_object_agg(p.mode, jsonb_build_object('due_at', p.due_at, 'id', p.id,
          'from', least(p.due_at, (select min(k.start) from kept k where k.mode = p.mode)))) from places p)
        || jsonb_build_object('heads', coalesce(jsonb_agg(jsonb_build_object('endpoint', k.endpoint, 'mode', k.mode, 'start', k.start)), '[]'))
      into endpoints, nows, starts, next_position from kept k;
  end if;

  if endpoints is not null then
    perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane, 0));

    -- A round takes one row per endpoint, so at most `p_limit` endpoints have a turn: those below their share that have waited longest.
    if cardinality(endpoints) > p_limit then
      select array_agg(o.endpoint), array_agg(o.now), array_agg(o.start) into endpoints, nows, starts from (
        select e.endpoint, e.now, e.start from unnest(endpoints, nows, starts) as e(endpoint, now, start)
        cross join lateral (
          select w.due_at, w.leased from (
            select q.due_at, q.lease_until, count(*) filter (where q.lease_until > e.now) over ahead as leased
            from gate.delivery_queue q
            where q.lane = p_lane and q.endpoint = e.endpoint and q.due_at >= coalesce(e.start, 0) and q.due_at <= e.now
            window ahead as (order by q.due_at, q.id rows between unbounded preceding and 32 following)) w
          where (w.lease_until > e.now) is not true limit 1) free
        where free.leased < p_per_endpoint
        order by e.now - free.due_at desc, e.endpoint limit p_limit) o;
    end if;

    with candidates as (
        select d.at, e.now, e.now - d.due_at as late, d.id, d.leased,
          row_number() over (partition by e.endpoint order by d.due_at, d.id) as turn
        from unnest(endpoints, nows, starts) as e(endpoint, now, start)
        -- Leased rows are those that were due first, so a scan that reaches the free rows has counted them. A few rows that were
        -- committed late may precede them, so the count looks ahead.
        cross join lateral (
          select w.at, w.due_at, w.id, w.leased from (
            select q.at, q.due_at, q.id, q.lease_until, count(*) filter (where q.lease_until > e.now) over ahead as leased
            -- Rows beyond this limit are outside the share, however many of those before them are leased.
            from (
              select q.ctid as at, q.due_at, q.id, q.lease_until from gate.delivery_queue q
              where q.lane = p_lane and q.endpoint = e.endpoint and q.due_at >= coalesce(e.start, 0) and q.due_at <= e.now
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
        returning q.id, q.partner_id, q.mode, q.event_id, q.claims, l.late)
    select array_agg(l.id), array_agg(l.partner_id), array_agg(l.mode), array_agg(l.event_id), array_agg(l.claims), array_agg(l.late),
        min(l.id), max(l.id), min(k.created_at), max(k.created_at), count(k.created_at)
      into taken, owners, modes, event_ids, claimed, lates, first_id, last_id, first_event, last_event, keys
      from leased l left join gate.event_keys k on k.id = l.event_id;
  end if;

  if taken is not null then
    -- Without partitions, and during a conversion, keys are missing: events are then searched in all partitions.
    if keys < cardinality(event_ids) then
      first_event := 0;
      last_event := 9223372036854775807;
    end if;
    -- Read here, since the snapshot of the calling statement may be too old to see a delivery that was committed since.
    return query
      select d.id, d.created_at, d.row::text, q.claims,
          e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
        from unnest(taken, owners, modes, event_ids, claimed, lates) as q(id, partner_id, mode, event_id, claims, late)
        join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
          and (d.id >= first_id and d.id <= last_id or d.id = first_id)
        join gate.events e on e.id = q.event_id and e.created_at >= first_event and e.created_at <= last_event
        order by q.late desc, q.id;
  end if;

  if is_slow then
    return query select null, null::bigint, next_position::text, null::int,
      null, null, null, null, null::int, null, null::bigint, null;
  end if;
end $$;

create or replace function gate.record_deliveries(
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
