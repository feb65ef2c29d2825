-- A list of events shows an event only once none can still appear before it. An event is decided before it is committed, so a list records
-- the time up to which it wants to show, and waits for the commits that may not have seen it; later ones put their events after that time.
-- A commit says that it is running by an advisory lock of its partner and mode, which it holds until it ends. The lock is always shared:
-- no commit waits for another, or for a list.

create table gate.shown_events (
  partner_id text collate "C",
  mode text collate "C",
  until bigint not null,
  settled bigint not null default -1,
  primary key (partner_id, mode)
);
comment on column gate.shown_events.until is 'The time up to which events are to be shown. Commits that begin later put their events after it.';
comment on column gate.shown_events.settled is 'The time up to which no event can appear any more.';

create function gate.place_key(p_partner text, p_mode text) returns bigint language sql immutable as $$
  select hashtextextended('events/' || p_partner || '/' || p_mode, 0)
$$;
comment on function gate.place_key is 'The advisory lock of the commits that write events of a partner and mode.';

create function gate.hold_places(p_partner text[], p_mode text[]) returns void language sql volatile as $$
  select pg_advisory_xact_lock_shared(gate.place_key(w.partner, w.mode))
  from (select distinct partner, mode from unnest(p_partner, p_mode) as g(partner, mode)) w
$$;
comment on function gate.hold_places is 'Shows lists that this transaction may write events. What it reads afterwards includes what a list has recorded before.';

create function gate.placed_events(p_events json) returns json language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if p_events is null then return null; end if;
  perform gate.hold_places(array_agg(w."partnerId"), array_agg(w.mode)) from json_to_recordset(p_events) as w("partnerId" text, mode text);
  if not exists (
    select from json_to_recordset(p_events) as w("partnerId" text, mode text, "createdAt" bigint)
      join gate.shown_events s on s.partner_id = w."partnerId" and s.mode = w.mode where w."createdAt" <= s.until) then
    return p_events;
  end if;
  return (
    select json_agg(case when s.until >= (e.value ->> 'createdAt')::bigint
      then e.value::jsonb || jsonb_build_object('createdAt', s.until + 1) else e.value::jsonb end)
    from json_array_elements(p_events) e
      left join gate.shown_events s on s.partner_id = e.value ->> 'partnerId' and s.mode = e.value ->> 'mode');
end $$;
comment on function gate.placed_events is 'The events of a commit at their places: those that were decided before an event that was shown come after it.';

create function gate.show_events(p_partner text, p_mode text, p_until bigint) returns bigint language sql volatile as $$
  insert into gate.shown_events as s (partner_id, mode, until) values (p_partner, p_mode, p_until)
  on conflict (partner_id, mode) do update set until = greatest(s.until, excluded.until)
  returning settled
$$;
comment on function gate.show_events is 'Records the time up to which a list wants to show events, and returns the time up to which it can at once.';

create function gate.running_commits(p_partner text, p_mode text) returns text[] language sql volatile as $$
  select coalesce(array_agg(l.virtualtransaction), '{}') from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = gate.place_key(p_partner, p_mode)
$$;
comment on function gate.running_commits is 'The transactions that may write events of a partner and mode, as they are called in `pg_locks`.';

create or replace function gate.commit_new_rows(
  p_partner text[], p_mode text[], p_now bigint[],
  k_m int[], k_scope text[], k_hash text[], k_print text[], k_reply text[], k_expires bigint[],
  s_m int[], s_id text[], s_flow text[], s_currency text[], s_user text[], s_expires bigint[], s_row json[],
  e_m int[], e_id text[], e_session text[], e_sequence int[], e_type text[], e_body text[],
  d_m int[], d_always boolean[], d_id text[], d_event text[], d_type text[], d_endpoint text[], d_row json[]
) returns int[] language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan set lock_timeout = '2s'
as $$
declare
  scopes text[];
  hashes text[];
  refused int[] := '{}';
begin
  perform gate.hold_places(p_partner, p_mode);
  with kept as (
      insert into gate.idempotency_keys as k (scope, key_hash, mode, fingerprint, reply, written_by, taken_at, expires_at)
      select w.scope, w.hash, p_mode[w.m], w.print, w.reply, 'claim', p_now[w.m], w.expires
      from unnest(k_m, k_scope, k_hash, k_print, k_reply, k_expires) as w(m, scope, hash, print, reply, expires)
      on conflict (scope, key_hash) do update set mode = excluded.mode, fingerprint = excluded.fingerprint, reply = excluded.reply,
        resource_id = null, task_id = null, written_by = excluded.written_by, taken_at = excluded.taken_at, expires_at = excluded.expires_at
      where k.expires_at <= excluded.taken_at
      returning k.scope, k.key_hash)
    select array_agg(scope), array_agg(key_hash) into scopes, hashes from kept;
  if coalesce(cardinality(hashes), 0) < cardinality(k_m) then
    select array_agg(w.m) into refused from unnest(k_m, k_scope, k_hash) as w(m, scope, hash)
      where not exists (select from unnest(scopes, hashes) as t(scope, hash) where t.scope = w.scope and t.hash = w.hash);
  end if;

  with opened as (
      insert into gate.sessions (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
      select p_partner[w.m], p_mode[w.m], w.id, 1, 'open', w.flow, w.currency, w.user_reference, p_now[w.m], w.expires, false, w.row
      from unnest(s_m, s_id, s_flow, s_currency, s_user, s_expires, s_row) as w(m, id, flow, currency, user_reference, expires, row)
      where w.m <> all (refused)),
    told as (
      insert into gate.events (id, partner_id, mode, session_id, sequence, type, created_at, body)
      select w.id, p_partner[w.m], p_mode[w.m], w.session, w.sequence, w.type, greatest(p_now[w.m], s.until + 1), w.body
      from unnest(e_m, e_id, e_session, e_sequence, e_type, e_body) as w(m, id, session, sequence, type, body)
      left join gate.shown_events s on s.partner_id = p_partner[w.m] and s.mode = p_mode[w.m]
      where w.m <> all (refused)),
    w as materialized (
      select w.*, p_partner[w.m] as partner, p_mode[w.m] as mode, p_now[w.m] as now
      from unnest(d_m, d_always, d_id, d_event, d_type, d_endpoint, d_row) as w(m, always, id, event, type, endpoint, row)
      where w.m <> all (refused) and (w.always or (
        select e.url from gate.endpoints e where e.partner_id = p_partner[w.m] and e.mode = p_mode[w.m]) is not null)),
    owed as (
      insert into gate.deliveries (partner_id, mode, id, event_id, event_type, status, created_at, is_webhook, row)
      select partner, mode, id, event, type, 'pending', now, endpoint = partner || '/' || mode || '/webhook', row from w)
    insert into gate.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
    select id, partner, mode, 'first', endpoint, event, now, 0 from w;
  return refused;
end $$;
