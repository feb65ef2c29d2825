-- Tasks: work that a commit leaves for a worker, such as a call of a provider.

create table gate.tasks (
  id text collate "C" primary key,
  mode text collate "C" not null,
  free_at bigint,
  lease_token text,
  lease_until bigint,
  claims int not null,
  done_at bigint,
  row json not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
comment on column gate.tasks.free_at is 'When a worker may take it; null once it is done or parked.';
create index tasks_due on gate.tasks (mode, free_at, id) where free_at is not null;
create index tasks_done on gate.tasks (mode, done_at) where done_at is not null;
create index tasks_parked on gate.tasks (mode, id) where free_at is null and done_at is null;
comment on index gate.tasks_parked is 'Few tasks are parked, among many that are done; operators list them.';
create index tasks_failed on gate.tasks (mode, id) where free_at is not null and (row ->> 'failures')::int > 0;
create index tasks_of_sandbox on gate.tasks ((row ->> 'partnerId'), free_at, id)
  where mode = 'test' and free_at is not null;

create function gate.dead_task_entries_read() returns bigint language sql as $$
  select pg_stat_get_xact_tuples_returned('gate.tasks_due'::regclass) - pg_stat_get_xact_tuples_fetched('gate.tasks_due'::regclass)
$$;
comment on function gate.dead_task_entries_read is
  'Grows by the entries of tasks_due that this transaction has read and whose rows it could not see.';

-- Settings as for claims of deliveries, for the same reasons: see `claims.sql`.

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
  'Claims due tasks, from the head or from a position: see claim_due. A row without a mode contains the position to claim from next.';
