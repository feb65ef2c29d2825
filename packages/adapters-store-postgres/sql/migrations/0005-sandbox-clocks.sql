-- Sandboxes that their partners have moved ahead have their own time. These functions are called while there are any;
-- otherwise nothing of this costs a claim. Their settings are those of `claims.sql`, for the same reasons.

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
