create function gate.record_deliveries(
  p_token text[], p_id text[], p_partner text[], p_mode text[], p_lane text[], p_due_at bigint[], p_claims int[],
  p_status text[], p_ended_at bigint[], p_row json[], p_attempt json[],
  p_tried_at bigint[], p_failure text[]
) returns int[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
declare
  ended int[];
  queued int[] := '{}';
  recorded int[];
  said_partner text[];
  said_mode text[];
  said_success_at bigint[];
  said_failure_at bigint[];
  said_failures bigint[];
  said_failure text[];
begin
  with gone as (
      delete from gate.delivery_queue q using unnest(p_token, p_id, p_mode, p_due_at) with ordinality as w(token, id, mode, due_at, n)
      where q.id = w.id and q.mode collate "POSIX" = w.mode and q.lease_token = w.token and w.due_at is null
      returning w.n)
    select coalesce(array_agg(n), '{}') into ended from gone;
  if cardinality(ended) < cardinality(p_id) then
    with back as (
        update gate.delivery_queue q set lane = w.lane, due_at = w.due_at, lease_token = null, lease_until = null, claims = w.claims
        from unnest(p_token, p_id, p_mode, p_lane, p_due_at, p_claims) with ordinality as w(token, id, mode, lane, due_at, claims, n)
        where q.id = w.id and q.mode collate "POSIX" = w.mode and q.lease_token = w.token and w.due_at is not null
        returning w.n)
      select coalesce(array_agg(n), '{}') into queued from back;
  end if;
  recorded := ended || queued;
  update gate.deliveries d set status = w.status, ended_at = w.ended_at, row = w.row,
      attempts = case when w.attempt is null then d.attempts else array_append(d.attempts, w.attempt) end
    from unnest(p_id, p_partner, p_mode, p_status, p_ended_at, p_row, p_attempt) with ordinality
      as w(id, partner, mode, status, ended_at, row, attempt, n)
    where w.n = any (recorded) and d.partner_id = w.partner and d.mode = w.mode and d.id = w.id;
  -- While all goes well there is little to say of an endpoint, and what order its results came in does not matter.
  if cardinality(array_remove(p_failure, null)) = 0 then
    select array_agg(s.partner), array_agg(s.mode), array_agg(s.at) into said_partner, said_mode, said_success_at from (
      select w.partner, w.mode, max(w.at) as at from unnest(p_partner, p_mode, p_tried_at) with ordinality as w(partner, mode, at, n)
      where w.at is not null and w.n = any (recorded) group by w.partner, w.mode) s;
  else
    with w as (
        select *, max(n) filter (where failure is null) over (partition by partner, mode) as healed
        from unnest(p_partner, p_mode, p_tried_at, p_failure) with ordinality as w(partner, mode, at, failure, n)
        where w.n = any (recorded) and w.at is not null),
      said as (
        select partner, mode, max(at) filter (where failure is null) as success_at, max(at) filter (where failure is not null) as failure_at,
          count(*) filter (where failure is not null and n > coalesce(healed, 0)) as failures,
          (array_agg(failure order by n desc) filter (where failure is not null))[1] as failure
        from w group by partner, mode)
      select array_agg(partner), array_agg(mode), array_agg(success_at), array_agg(failure_at), array_agg(failures), array_agg(failure)
        into said_partner, said_mode, said_success_at, said_failure_at, said_failures, said_failure from said;
  end if;
  -- In one order, so that two batches never wait for each other in a circle.
  insert into gate.endpoint_health as h (partner_id, mode, consecutive_failures, last_success_at, last_failure_at, last_error)
    select s.partner, s.mode, coalesce(s.failures, 0), s.success_at, s.failure_at, s.failure
    from unnest(said_partner, said_mode, said_success_at, said_failure_at, said_failures, said_failure)
      as s(partner, mode, success_at, failure_at, failures, failure)
    left join gate.endpoint_health k on k.partner_id = s.partner and k.mode = s.mode
    where s.failure_at is not null or k.last_success_at is null or k.consecutive_failures > 0 or s.success_at - k.last_success_at >= 60000
    order by s.partner, s.mode
    on conflict (partner_id, mode) do update set
      consecutive_failures = excluded.consecutive_failures + case when excluded.last_success_at is null then h.consecutive_failures else 0 end,
      last_success_at = greatest(h.last_success_at, excluded.last_success_at),
      last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at),
      last_error = coalesce(excluded.last_error, h.last_error);
  return recorded;
end $$;
comment on function gate.record_deliveries is
  'Records the results of deliveries whose lease token still matches, and returns their ordinals, from 1. One array per column: JSON
would be parsed three times. In plpgsql, because Postgres up to 17 plans the body of an SQL function at every call.';
