-- While several processes share the test clock, a process that steps a sandbox holds it by a setting: its token, and when the hold ends in
-- milliseconds of the database's time. Claims take the lock below, shared, before they read the holds, and keep it until they are committed.
-- A process that has just written its hold takes the lock alone for a moment: afterwards every claim that had not seen the hold has ended.

create function gate.claims_of_sandboxes_end() returns void language sql volatile as $$
  select pg_advisory_xact_lock(hashtextextended('gate.sandbox_holds', 0))
$$;
comment on function gate.claims_of_sandboxes_end is 'Waits for the claims that may not have seen a hold on a sandbox.';

-- Volatile and with a statement of its own, so that the holds are read by a snapshot that is taken after the lock. Sandboxes that are further
-- ahead than the worker has read are left out as well: a lease by its older time could already have ended by theirs. A second is nothing to a
-- lease, and covers workers that read the two times one after the other.
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
  'The names and times of sandboxes for a claim. Those that are held, or further ahead, are at time 0, when nothing is due. `p_suffix` follows a partner id in a name.';
