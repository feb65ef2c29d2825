create function gate.claim_delivery(
  p_mode text,
  p_id text,
  p_now bigint,
  p_lease_ms bigint,
  p_token text
) returns table (
  delivery_id text,
  owed_since bigint,
  delivery text,
  claims integer,
  id text,
  partner_id text,
  mode text,
  session_id text,
  sequence integer,
  type text,
  created_at bigint,
  body text
)
language plpgsql
set enable_bitmapscan = off
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
set jit = off
set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
begin
  return query
    with leased as (
      update gate.delivery_queue q set lease_token = p_token, lease_until = p_now + p_lease_ms, claims = q.claims + 1
      where q.id = p_id and q.mode collate "POSIX" = p_mode and q.due_at <= p_now and (q.lease_token is null or q.lease_until <= p_now)
      returning q.*)
    select d.id, d.created_at, d.row::text, q.claims,
        e.id, e.partner_id, e.mode, e.session_id, e.sequence, e.type, e.created_at, e.body
      from leased q
      join gate.deliveries d on d.partner_id = q.partner_id and d.mode = q.mode and d.id = q.id
      join gate.events e on e.id = q.event_id;
end $$;
