-- The lanes that have anything in them, found without reading what that is.
create function gate.lanes_of(
  p_mode text
) returns setof text
language sql stable
set enable_bitmapscan = off
set enable_seqscan = off
set enable_sort = off
set jit = off
as $$
  with recursive lanes(lane) as (
      (select lane from gate.delivery_queue where mode = p_mode order by lane limit 1)
    union all
      select n.lane from lanes p
      cross join lateral (select lane from gate.delivery_queue where mode = p_mode and lane > p.lane order by lane limit 1) n)
  select lane from lanes;
$$;
