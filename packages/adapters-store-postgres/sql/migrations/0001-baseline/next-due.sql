create function gate.lanes_of(p_mode text) returns setof text language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
as $$
  with recursive lanes(lane) as (
      (select lane from gate.delivery_queue where mode = p_mode order by lane limit 1)
    union all
      select n.lane from lanes p
      cross join lateral (select lane from gate.delivery_queue where mode = p_mode and lane > p.lane order by lane limit 1) n)
  select lane from lanes;
$$;
comment on function gate.lanes_of is 'The lanes that have anything in them, found without reading what that is.';

create function gate.next_due(p_mode text, p_lanes text[], p_tasks boolean)
returns table (kind text, id text, free_at bigint) language plpgsql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with free as (
        select l.lane, q.id, q.due_at from unnest(p_lanes) as l(lane)
        left join lateral (
          select id, due_at from gate.delivery_queue
          where mode = p_mode and lane = l.lane and lease_token is null order by due_at, id limit 1) q on true),
      -- A lease ends after its row was due: one that ends before another row is due stands in front of that row.
      leased as (
        select q.id, q.lease_until from free f
        cross join lateral (
          select id, lease_until from gate.delivery_queue
          where mode = p_mode and lane = f.lane and (due_at, id) < (coalesce(f.due_at, 9223372036854775807), coalesce(f.id, ''))
            and lease_token is not null
          order by lease_until, id limit 1) q),
      tasks as (
        select id, free_at from gate.tasks where p_tasks and mode = p_mode and free_at is not null order by free_at, id limit 1)
    select h.kind, h.id, h.free_at from (
        select 'delivery', id, due_at from free where id is not null
        union all select 'delivery', id, lease_until from leased
        union all select 'task', id, free_at from tasks
      ) as h(kind, id, free_at)
      order by h.free_at, h.id limit 1;
end $$;
comment on function gate.next_due is
  'When something is free to take next: a row that is due, or one whose lease ends. Reads the heads of the indexes and
what is leased in front of them, whatever lies behind.';
