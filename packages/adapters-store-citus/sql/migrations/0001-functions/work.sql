-- Claims and results of one partner, for distributed tables: see `commit_of_partner`. The functions run where they are called, and each of
-- their statements runs on the partner's node.

create function gate.claim_deliveries_of_partner(
  p_partner text, p_mode text, p_lane text, p_endpoint text, p_ids text[], p_now bigint, p_per_endpoint int, p_lease_ms bigint, p_token text
) returns table (
  delivery_id text, owed_since bigint, delivery text, claims int,
  id text, partner_id text, mode text, session_id text, sequence int, type text, created_at bigint, body text
) language plpgsql set jit = off as $$
#variable_conflict use_column
declare
  given text;
  leased bigint;
begin
  -- Claims of one endpoint run one after another, so its share is exact however many workers claim at once.
  perform pg_advisory_xact_lock(hashtextextended('gate.claim_deliveries/' || p_lane || '/' || p_endpoint, 0));
  select count(*) into leased from gate.delivery_queue q
    where q.partner_id = p_partner and q.lane = p_lane and q.endpoint = p_endpoint and q.lease_until > p_now;
  foreach given in array p_ids loop
    exit when leased >= p_per_endpoint;
    update gate.delivery_queue q set lease_token = p_token, lease_until = p_now + p_lease_ms, claims = q.claims + 1
      where q.partner_id = p_partner and q.id = given and q.lane = p_lane and q.due_at <= p_now
        and (q.lease_token is null or q.lease_until <= p_now);
    continue when not found;
    leased := leased + 1;
    return query
      select d.id, d.created_at, d.row::text, q.claims, e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
      from gate.delivery_queue q
      join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
      join gate.events e on e.partner_id = q.partner_id and e.id = q.event_id
      where q.partner_id = p_partner and q.id = given;
  end loop;
end $$;
comment on function gate.claim_deliveries_of_partner is
  'Leases the given deliveries of one endpoint in their order, as far as they are free and its share allows.';

create function gate.record_deliveries_of_partner(p_partner text, p_results json) returns int[] language plpgsql set jit = off as $$
declare
  recorded int[] := '{}';
  w record;
  health record;
begin
  for w in
    select * from json_to_recordset(p_results) as g(n int, token text, id text, mode text, lane text, due_at bigint, claims int,
      status text, ended_at bigint, row json, attempt json, tried_at bigint, failure text) order by n
  loop
    if w.due_at is null then
      delete from gate.delivery_queue where partner_id = p_partner and id = w.id and mode = w.mode and lease_token = w.token;
    else
      update gate.delivery_queue set lane = w.lane, due_at = w.due_at, lease_token = null, lease_until = null, claims = w.claims
        where partner_id = p_partner and id = w.id and mode = w.mode and lease_token = w.token;
    end if;
    continue when not found;
    recorded := recorded || w.n;
    update gate.deliveries set status = w.status, ended_at = w.ended_at, row = w.row,
        attempts = case when w.attempt is null then attempts else array_append(attempts, w.attempt) end
      where partner_id = p_partner and mode = w.mode and id = w.id;
    continue when w.tried_at is null;
    if w.failure is null then
      -- Successes of a healthy endpoint are recorded at most once a minute.
      select * into health from gate.endpoint_health where partner_id = p_partner and mode = w.mode;
      continue when found and health.last_success_at is not null and health.consecutive_failures = 0
        and w.tried_at - health.last_success_at < 60000;
      insert into gate.endpoint_health as h (partner_id, mode, consecutive_failures, last_success_at)
        values (p_partner, w.mode, 0, w.tried_at)
        on conflict (partner_id, mode) do update set consecutive_failures = 0,
          last_success_at = greatest(h.last_success_at, excluded.last_success_at);
    else
      insert into gate.endpoint_health as h (partner_id, mode, consecutive_failures, last_failure_at, last_error)
        values (p_partner, w.mode, 1, w.tried_at, w.failure)
        on conflict (partner_id, mode) do update set consecutive_failures = h.consecutive_failures + 1,
          last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at), last_error = excluded.last_error;
    end if;
  end loop;
  return recorded;
end $$;
comment on function gate.record_deliveries_of_partner is 'As record_deliveries, for one partner. `n` is the ordinal that is returned.';
