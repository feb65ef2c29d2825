create function gate.claim_tasks(
  p_now_test bigint,
  p_now_live bigint,
  p_limit integer,
  p_lease_ms bigint,
  p_token text
) returns table (
  task text,
  mode text,
  claims integer
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
begin
  return query
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
    select row::text, mode, claims from leased order by late desc, id;
end $$;
