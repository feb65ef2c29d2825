-- The sandbox provider, and sandboxes whose partners have moved their clocks ahead. The functions are called only while there are such
-- sandboxes. Settings as for claims, for the same reasons: see `claims.sql`.

create table gate.sandbox_operations (
  operation_id text collate "C" primary key,
  version int not null,
  operation json not null,
  ended_at bigint
);
comment on table gate.sandbox_operations is 'The operations of the sandbox provider.';
comment on column gate.sandbox_operations.ended_at is 'Null while the operation can change.';
create index sandbox_operations_ended on gate.sandbox_operations ((operation->>'mode'), ended_at) where ended_at is not null;

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

-- While several processes share the test clock, a process that steps a sandbox holds it by a setting: its token, and when the hold ends
-- in milliseconds of the database's time. Claims take the lock below, shared, before they read the holds, and keep it until they are
-- committed. A process that has just written its hold takes the lock exclusively for a moment: afterwards every claim that had not seen
-- the hold has ended.

create function gate.claims_of_sandboxes_end() returns void language sql volatile as $$
  select pg_advisory_xact_lock(hashtextextended('gate.sandbox_holds', 0))
$$;
comment on function gate.claims_of_sandboxes_end is 'Waits for the claims that may not have seen a hold on a sandbox.';

-- Volatile and with a statement of its own, so that the holds are read by a snapshot that is taken after the lock. Sandboxes that are
-- further ahead than the worker has read are left out as well: a lease by its older time could already have ended by theirs. A second
-- is little compared with a lease, and covers workers that read the two times one after the other.
create function gate.times_of_claim(
  p_sandboxes text[], p_sandbox_nows bigint[], p_test_now bigint, p_suffix text, out sandboxes text[], out sandbox_nows bigint[])
language plpgsql volatile as $$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('gate.sandbox_holds', 0));
  with known as (select o.sandbox, o.now from unnest(p_sandboxes, p_sandbox_nows) as o(sandbox, now)),
    stored as (
      select substr(s.name, length('test_clock_offset_ms/') + 1) || p_suffix as sandbox, s.value::bigint as ahead from gate.settings s
      where s.name >= 'test_clock_offset_ms/' and s.name < 'test_clock_offset_ms0'),
    held as (
      select substr(s.name, length('test_clock_stepping/') + 1) || p_suffix as sandbox from gate.settings s
      where s.name >= 'test_clock_stepping/' and s.name < 'test_clock_stepping0'
        and split_part(s.value, ' ', 2)::bigint > extract(epoch from clock_timestamp()) * 1000
      union
      select t.sandbox from stored t left join known k on k.sandbox = t.sandbox where t.ahead > coalesce(k.now - p_test_now, 0) + 1000),
    times as (
      select k.sandbox, k.now from known k where k.sandbox not in (select h.sandbox from held h)
      union all
      select h.sandbox, 0 from held h)
    select array_agg(t.sandbox), array_agg(t.now) into sandboxes, sandbox_nows from times t;
end $$;
comment on function gate.times_of_claim is
  'The names and times of sandboxes for a claim. Those that are held, or further ahead, are at time 0, when nothing is due. `p_suffix`
follows a partner id in a name.';
