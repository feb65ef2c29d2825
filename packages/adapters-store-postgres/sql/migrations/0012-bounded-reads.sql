-- `0010` bounds claims of deliveries while a transaction holds a snapshot. This migration bounds the other reads of due work: claims of
-- tasks and the next due task start from a position, and lanes are listed without reading the queue's dead entries.

create function gate.dead_task_entries_read() returns bigint language sql as $$
  select pg_stat_get_xact_tuples_returned('gate.tasks_due'::regclass) - pg_stat_get_xact_tuples_fetched('gate.tasks_due'::regclass)
$$;
comment on function gate.dead_task_entries_read is
  'Grows by the entries of tasks_due that this transaction has read and whose rows it could not see.';

create function gate.claim_due_tasks(
  p_now_test bigint, p_now_live bigint, p_sandboxes text[], p_sandbox_nows bigint[], p_position jsonb,
  p_limit int, p_lease_ms bigint, p_token text
) returns table (task text, mode text, claims int) language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set enable_sort = off
set jit = off set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  v_from jsonb := '{}';
  read_before bigint := gate.dead_task_entries_read();
  is_slow boolean;
begin
  if p_position is not null then
    select coalesce(jsonb_object_agg(s.mode, s.start), '{}') into v_from from (
      select f.mode, min(f.start) as start from (
        select p.key as mode, (p.value ->> 'from')::bigint as start from jsonb_each(p_position - 'heads') as p
        union all select h.mode, h.start from jsonb_to_recordset(p_position -> 'heads') as h(mode text, start bigint)) f
      group by f.mode) s;
  end if;
  return query
    with candidates as (
        select t.id, c.now, c.now - t.free_at as late from (
          values ('test', p_now_test, (v_from ->> 'test')::bigint), ('live', p_now_live, (v_from ->> 'live')::bigint)) as c(mode, now, start)
        cross join lateral (
          select id, free_at from gate.tasks
          where mode = c.mode and free_at >= coalesce(c.start, 0) and free_at <= c.now
            and (c.mode = 'live' or p_sandboxes is null or row ->> 'partnerId' <> all (p_sandboxes))
          order by free_at, id limit p_limit for no key update skip locked) t
      union all
        select t.id, s.now, s.now - t.free_at from unnest(p_sandboxes, p_sandbox_nows) as s(partner, now)
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
  -- A claim from a position returns the next position. A claim from the head returns one only if it read many dead entries.
  is_slow := gate.dead_task_entries_read() - read_before > 1000;
  if is_slow or v_from <> '{}' then
    return query
      select jsonb_build_object('heads', jsonb_build_array()) || jsonb_object_agg(p.mode, jsonb_build_object('from', p.place, 'due_at', p.place, 'id', ''))
        #>> '{}', null, null::int
      from (
        -- The position stays before tasks of the last second, which may be committed late, and before every task that is still due
        -- because another claim has locked it or its sandbox has its own time.
        select c.mode, least(greatest(c.start, c.now - 1000), (
          select t.free_at from gate.tasks t where t.mode = c.mode and t.free_at >= c.start order by t.free_at, t.id limit 1)) as place
        from (values ('test', p_now_test, coalesce((v_from ->> 'test')::bigint, 0)),
          ('live', p_now_live, coalesce((v_from ->> 'live')::bigint, 0))) as c(mode, now, start)) p;
  end if;
end $$;
comment on function gate.claim_due_tasks is
  'Claims due tasks, from the head or from a position: see claim_due. A row without a mode has the position to claim from next.';

drop function gate.claim_tasks_of_sandboxes(bigint, bigint, text[], bigint[], int, bigint, text);

-- Known lanes are listed without being read, because their heads may be dead entries. Only the gaps between them are searched, for lanes
-- that are not registered.
create or replace function gate.lanes_of(p_mode text) returns setof text language sql stable
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

drop function gate.next_due_from(text, text[], bigint[], boolean);
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
  'The next row that can be claimed, because it is due or its lease ends. Reads each lane and the tasks from the given starts, before which
none of their rows is due. If the start of tasks is null, tasks are not read.';

create or replace function gate.next_due(p_mode text, p_lanes text[], p_tasks boolean)
returns table (kind text, id text, free_at bigint) language sql stable as $$
  select * from gate.next_due_from(p_mode, p_lanes, null, case when p_tasks then 0 end)
$$;
