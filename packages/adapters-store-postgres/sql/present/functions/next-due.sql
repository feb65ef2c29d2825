-- The heads of the indexes, whatever lies behind them.
create function gate.next_due(
  p_mode text,
  p_lanes text[],
  p_tasks boolean
) returns table (
  kind text,
  id text,
  free_at bigint
)
language sql stable
set enable_bitmapscan = off
set enable_seqscan = off
set enable_sort = off
set jit = off
as $$
  select * from (
      select 'delivery', q.id, q.free_at from unnest(p_lanes) as l(lane)
      cross join lateral (
        select id, free_at from gate.delivery_queue where mode = p_mode and lane = l.lane order by free_at, id limit 1) q
      union all
      (select 'task', id, free_at from gate.tasks where p_tasks and mode = p_mode and free_at is not null order by free_at, id limit 1)
    ) as heads (kind, id, free_at)
    order by free_at, id limit 1;
$$;
