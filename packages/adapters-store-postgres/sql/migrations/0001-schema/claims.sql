-- Claims of deliveries, and the time of the next one.
--
-- Claims of one lane run one after another: the lock is taken in the claiming statement and ends with it. So the share of an endpoint
-- is exact, however many workers claim at once. A claim that finds nothing due takes no lock and writes nothing.
--
-- Settings. The queue grows and shrinks by thousands of rows between two runs of autovacuum, so plans must not depend on statistics:
-- every search reads an index in its order and stops, and every join looks its rows up. Otherwise a plan made while a table was small
-- reads everything that is due at every claim. Postgres up to 17 disables a kind of scan by adding 1e10 to its cost, and compiles plans
-- that cost so much. With LLVM, which distributions and most hosts ship, that took up to a second per claim. So functions with planner
-- settings also have `jit = off`. `create or replace` drops the settings of a function: repeat all of them.
--
-- Positions. While a transaction holds a snapshot, vacuum cannot remove the index entries of delivered rows, and every query from the
-- head of a lane reads them again: after a million deliveries, claims ran at 0.05 of their speed (decision 48). A claim that reads many
-- of them computes a position in the lane, where it and later claims start: for each mode a place in the order of due rows, and the
-- endpoints that have rows before that place, each with the time from which to read it. Rows are committed later than they are due, so
-- a position does not move past rows that were due within the last second. Rows that appear before it are found when a new position is
-- computed from the heads.
--
-- One function serves claims from the head, from a position, and for sandboxes with clocks of their own: branches that are not taken
-- cost nothing. Like `record_deliveries`, it passes the first and last id and time of what it reads, so that only their partitions are
-- opened.

create function gate.dead_entries_read() returns bigint language sql as $$
  select pg_stat_get_xact_tuples_returned('gate.delivery_queue_due'::regclass) - pg_stat_get_xact_tuples_fetched('gate.delivery_queue_due'::regclass)
    + pg_stat_get_xact_tuples_returned('gate.delivery_queue_fair'::regclass) - pg_stat_get_xact_tuples_fetched('gate.delivery_queue_fair'::regclass)
$$;
comment on function gate.dead_entries_read is
  'Grows by the entries of the queue''s indexes that this transaction has read and whose rows it could not see.';

create function gate.lane_position(p_lane text, p_now_test bigint, p_now_live bigint) returns jsonb language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return (
    with recursive heads(endpoint, mode, due_at) as (
        (select q.endpoint, q.mode, q.due_at from gate.delivery_queue q where q.lane = p_lane order by q.endpoint, q.due_at limit 1)
      union all
        select h.endpoint, h.mode, h.due_at from heads p
        cross join lateral (
          select q.endpoint, q.mode, q.due_at from gate.delivery_queue q
          where q.lane = p_lane and q.endpoint > p.endpoint order by q.endpoint, q.due_at limit 1) h)
    select jsonb_build_object(
      'test', jsonb_build_object('due_at', p_now_test - 1000, 'id', ''),
      'live', jsonb_build_object('due_at', p_now_live - 1000, 'id', ''),
      'heads', coalesce(jsonb_agg(jsonb_build_object('endpoint', h.endpoint, 'mode', h.mode,
        'start', least(h.due_at, case h.mode when 'test' then p_now_test else p_now_live end - 1000))), '[]'))
    from heads h);
end $$;
comment on function gate.lane_position is 'A position computed from the heads of a lane.';

create function gate.claim_due(
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
comment on function gate.claim_due is
  'Claims due deliveries, from the head of the lane, from a position, or, given an empty one, from a new position. The last row may have
no delivery but the position to claim from next; without such a row, the next claim starts at the head.';

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
comment on function gate.claim_delivery is 'Claims one delivery, if it is due and free.';

create function gate.next_due_from(p_mode text, p_lanes text[], p_froms bigint[], p_tasks_from bigint)
returns table (kind text, id text, free_at bigint) language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with free as (
        select l.lane, l.start, q.id, q.due_at from (
          select l.lane, coalesce(l.start, 0) as start from unnest(p_lanes, p_froms) as l(lane, start)) l
        left join lateral (
          select id, due_at from gate.delivery_queue
          where mode = p_mode and lane = l.lane and due_at >= l.start and lease_token is null order by due_at, id limit 1) q on true),
      -- A lease ends after its row was due, so the row of a lease that ends before another row is due precedes that row.
      leased as (
        select q.id, q.lease_until from free f
        cross join lateral (
          select id, lease_until from gate.delivery_queue
          where mode = p_mode and lane = f.lane and due_at >= f.start
            and (due_at, id) < (coalesce(f.due_at, 9223372036854775807), coalesce(f.id, ''))
            and lease_token is not null
          order by lease_until, id limit 1) q),
      tasks as (
        select id, free_at from gate.tasks where mode = p_mode and free_at >= p_tasks_from order by free_at, id limit 1)
    select h.kind, h.id, h.free_at from (
        select 'delivery', id, due_at from free where id is not null
        union all select 'delivery', id, lease_until from leased
        union all select 'task', id, free_at from tasks
      ) as h(kind, id, free_at)
      order by h.free_at, h.id limit 1;
end $$;
comment on function gate.next_due_from is
  'The next row that can be claimed, because it is due or its lease ends. Reads each lane and the tasks from the given starts, before
which none of their rows is due. If the start of tasks is null, tasks are not read.';
