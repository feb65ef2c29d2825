-- Commits on tables that are distributed by partner (`distribute.sql`).
--
-- Citus runs a statement on one node only if it compares the partner with a value and contains no insert inside a `with`, no subquery in an
-- insert, and no volatile function in a condition. So each row is written by a statement of its own with the partner as a parameter, and
-- the function runs as a whole on the partner's node. Locks, checks and writes have the order of `commit_changes`, and the answer is the
-- same. A conflict undoes everything and is returned rather than raised: errors from another node are harder to tell apart. Row by row
-- costs half: 3,100 creates/s of one partner on one Postgres instead of 6,600 as arrays, so a single Postgres has `commit_changes`.

create function gate.commit_of_partner(
  p_partner text, p_known_consumers bigint,
  p_keys json, p_marks json,
  p_sessions json, p_intents json, p_transactions json,
  p_moved_sessions json, p_moved_intents json, p_moved_transactions json, p_documents json, p_moved_documents json,
  p_endpoints json, p_replays json, p_events json, p_deliveries json, p_borrowed_events json, p_tasks json, p_finishes json, p_counters json
) returns text language plpgsql
set jit = off set lock_timeout = '2s'
as $$
declare
  refused int[] := '{}';
  stale int[] := '{}';
  duplicates json[] := '{}';
  insufficient json[] := '{}';
  keys json[] := '{}';
  last int;
  found_version int;
  found_text text;
  found_row jsonb;
  found_value numeric;
  w record;
  held record;
begin
  perform from gate.consumers where version > p_known_consumers;
  if found then return '{"undone":"stale"}'; end if;

  for w in select * from json_to_recordset(p_moved_sessions) as g(m int, expected int, mode text, id text) loop
    select version into found_version from gate.sessions
      where partner_id = p_partner and mode = w.mode and id = w.id for no key update;
    if found_version is distinct from w.expected then refused := refused || w.m; end if;
  end loop;
  for w in select * from json_to_recordset(p_moved_intents) as g(m int, expected int, mode text, id text) loop
    select version into found_version from gate.intents
      where partner_id = p_partner and mode = w.mode and id = w.id for no key update;
    if found_version is distinct from w.expected then refused := refused || w.m; end if;
  end loop;
  for w in select * from json_to_recordset(p_moved_transactions) as g(m int, expected int, mode text, id text) loop
    select version into found_version from gate.transactions
      where partner_id = p_partner and mode = w.mode and id = w.id for no key update;
    if found_version is distinct from w.expected then refused := refused || w.m; end if;
  end loop;
  for w in select * from json_to_recordset(p_moved_documents) as g(m int, expected int, mode text, noun text, id text) loop
    select version into found_version from gate.documents
      where partner_id = p_partner and mode = w.mode and noun = w.noun and id = w.id for no key update;
    if found_version is distinct from w.expected then refused := refused || w.m; end if;
  end loop;
  for w in select * from json_to_recordset(p_endpoints) as g(m int, mode text, expected jsonb) loop
    select row into found_row from gate.endpoints where partner_id = p_partner and mode = w.mode for no key update;
    if found_row is distinct from w.expected then refused := refused || w.m; end if;
  end loop;
  for w in select * from json_to_recordset(p_replays) as g(m int, mode text, id text, replays int) loop
    select status, coalesce((row ->> 'replayCount')::int, 0) into found_text, found_version from gate.deliveries
      where partner_id = p_partner and mode = w.mode and id = w.id for no key update;
    if found_text is distinct from 'dead_lettered' or found_version is distinct from w.replays - 1 then refused := refused || w.m; end if;
  end loop;
  for w in select * from json_to_recordset(p_finishes) as g(m int, token text, id text) loop
    select lease_token into found_text from gate.tasks where partner_id = p_partner and id = w.id for no key update;
    if found_text is distinct from w.token then refused := refused || w.m; end if;
  end loop;
  stale := refused;
  last := null;
  for w in select * from json_to_recordset(p_marks) as g(m int, n int, mark text) order by m, n loop
    perform from gate.once_marks where partner_id = p_partner and mark = w.mark;
    if found and w.m is distinct from last then
      duplicates := duplicates || json_build_object('m', w.m, 'mark', w.mark);
      refused := refused || w.m;
      last := w.m;
    end if;
  end loop;
  -- As in `commit_changes`: a change whose balance is already too low is refused without a write.
  last := null;
  for w in
    select m, name, floor, sum(delta) over (partition by m, name order by n) as moved
    from json_to_recordset(p_counters) as g(m int, n int, name text, delta numeric, floor numeric) order by m, n
  loop
    select value into found_value from gate.counters where partner_id = p_partner and name = w.name;
    if coalesce(found_value, 0) + w.moved < w.floor and w.m is distinct from last then
      insufficient := insufficient || json_build_object('m', w.m, 'counter', w.name);
      refused := refused || w.m;
      last := w.m;
    end if;
  end loop;

  for w in
    select * from json_to_recordset(p_keys) as g(m int, scope text, hash text, mode text, print text, reply text, resource text,
      task text, kind text, now bigint, expires bigint)
  loop
    if w.m <> all (refused) then
      insert into gate.idempotency_keys as k
        (partner_id, scope, key_hash, mode, fingerprint, reply, resource_id, task_id, written_by, taken_at, expires_at)
      values (p_partner, w.scope, w.hash, w.mode, w.print, w.reply, w.resource, w.task, w.kind, w.now, w.expires)
      on conflict (partner_id, scope, key_hash) do update set mode = excluded.mode, fingerprint = excluded.fingerprint,
        reply = excluded.reply, resource_id = excluded.resource_id, task_id = excluded.task_id, written_by = excluded.written_by,
        taken_at = excluded.taken_at, expires_at = excluded.expires_at
      where k.expires_at <= excluded.taken_at
        or (excluded.written_by = 'seal' and k.reply is null and k.fingerprint = excluded.fingerprint);
      continue when found;
    end if;
    select * into held from gate.idempotency_keys where partner_id = p_partner and scope = w.scope and key_hash = w.hash;
    if found then
      keys := keys || json_build_object('m', w.m, 'fingerprint', held.fingerprint, 'reply', held.reply, 'resourceId', held.resource_id,
        'taskId', held.task_id, 'expiresAt', held.expires_at);
    end if;
    refused := refused || w.m;
  end loop;

  for w in select * from json_to_recordset(p_marks) as g(m int, mark text) where g.m <> all (refused) order by mark loop
    insert into gate.once_marks (partner_id, mark) values (p_partner, w.mark) on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'again'; end if;
  end loop;
  for w in
    select g.row, x.* from json_to_recordset(p_sessions) as g(m int, row json), json_to_record(g.row) as x(mode text, id text, version int,
      status text, terms json, "userReference" text, "createdAt" bigint, "expiresAt" bigint, "heldSince" bigint) where g.m <> all (refused)
  loop
    insert into gate.sessions
      (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
    values (p_partner, w.mode, w.id, w.version, w.status, w.terms ->> 'flow', w.terms ->> 'currency', w."userReference", w."createdAt",
      w."expiresAt", w."heldSince" is not null, w.row)
    on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
  end loop;
  for w in
    select g.mode, g.id, g.row, x.* from json_to_recordset(p_moved_sessions) as g(m int, mode text, id text, row json),
      json_to_record(g.row) as x(version int, status text, terms json, "userReference" text, "createdAt" bigint, "expiresAt" bigint,
        "heldSince" bigint) where g.m <> all (refused)
  loop
    update gate.sessions set version = w.version, status = w.status, flow = w.terms ->> 'flow', currency = w.terms ->> 'currency',
        user_reference = w."userReference", created_at = w."createdAt", expires_at = w."expiresAt", is_held = w."heldSince" is not null,
        row = w.row
      where partner_id = p_partner and mode = w.mode and id = w.id;
  end loop;
  for w in
    select g.row, x.* from json_to_recordset(p_intents) as g(m int, row json), json_to_record(g.row) as x(mode text, id text, version int,
      provider text, "operationId" text) where g.m <> all (refused)
  loop
    insert into gate.intents (partner_id, mode, id, version, provider, operation_id, row)
    values (p_partner, w.mode, w.id, w.version, w.provider, w."operationId", w.row) on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
  end loop;
  for w in
    select g.mode, g.id, g.row, x.* from json_to_recordset(p_moved_intents) as g(m int, mode text, id text, row json),
      json_to_record(g.row) as x(version int, provider text, "operationId" text) where g.m <> all (refused)
  loop
    update gate.intents set version = w.version, provider = w.provider, operation_id = w."operationId", row = w.row
      where partner_id = p_partner and mode = w.mode and id = w.id;
  end loop;
  for w in
    select g.row, x.* from json_to_recordset(p_transactions) as g(m int, row json), json_to_record(g.row) as x(mode text, refid text,
      version int, "sessionId" text, status text, flow text, "userReference" text, "createdAt" bigint) where g.m <> all (refused)
  loop
    insert into gate.transactions (partner_id, mode, id, version, session_id, status, flow, user_reference, created_at, row)
    values (p_partner, w.mode, w.refid, w.version, w."sessionId", w.status, w.flow, w."userReference", w."createdAt", w.row)
    on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
  end loop;
  for w in
    select g.mode, g.id, g.row, x.* from json_to_recordset(p_moved_transactions) as g(m int, mode text, id text, row json),
      json_to_record(g.row) as x(version int, "sessionId" text, status text, flow text, "userReference" text, "createdAt" bigint)
    where g.m <> all (refused)
  loop
    update gate.transactions set version = w.version, session_id = w."sessionId", status = w.status, flow = w.flow,
        user_reference = w."userReference", created_at = w."createdAt", row = w.row
      where partner_id = p_partner and mode = w.mode and id = w.id;
  end loop;
  for w in
    select * from json_to_recordset(p_documents) as g(m int, mode text, noun text, id text, version int, "group" text, "createdAt" bigint,
      "keepUntil" bigint, body text) where g.m <> all (refused)
  loop
    insert into gate.documents (partner_id, mode, noun, id, version, group_key, created_at, keep_until, body)
    values (p_partner, w.mode, w.noun, w.id, w.version, w."group", w."createdAt", w."keepUntil", w.body) on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
  end loop;
  for w in
    select * from json_to_recordset(p_moved_documents) as g(m int, mode text, noun text, id text, version int, "keepUntil" bigint, body text)
    where g.m <> all (refused)
  loop
    update gate.documents set version = w.version, keep_until = w."keepUntil", body = w.body
      where partner_id = p_partner and mode = w.mode and noun = w.noun and id = w.id;
  end loop;
  for w in
    select * from json_to_recordset(p_endpoints) as g(m int, mode text, url text, expected json, row json) where g.m <> all (refused)
  loop
    if w.expected is not null then
      update gate.endpoints set url = w.url, row = w.row where partner_id = p_partner and mode = w.mode;
    else
      insert into gate.endpoints (partner_id, mode, url, row) values (p_partner, w.mode, w.url, w.row) on conflict do nothing;
      if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
    end if;
  end loop;
  for w in
    select * from json_to_recordset(p_replays) as g(m int, mode text, id text, event text, target text, status text, lane text,
      "dueAt" bigint, row json) where g.m <> all (refused)
  loop
    update gate.deliveries set status = w.status, ended_at = null, row = w.row
      where partner_id = p_partner and mode = w.mode and id = w.id;
    insert into gate.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
    values (w.id, p_partner, w.mode, w.lane, p_partner || '/' || w.mode || '/' || w.target, w.event, w."dueAt", 0);
  end loop;
  for w in
    select * from json_to_recordset(p_events) as g(m int, id text, mode text, "sessionId" text, sequence int, type text,
      "createdAt" bigint, body text) where g.m <> all (refused)
  loop
    insert into gate.events (id, partner_id, mode, session_id, sequence, type, created_at, body)
    values (w.id, p_partner, w.mode, w."sessionId", w.sequence, w.type, w."createdAt", w.body) on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
  end loop;
  for w in select * from json_to_recordset(p_borrowed_events) as g(m int, id text) where g.m <> all (refused) loop
    perform from gate.events where partner_id = p_partner and id = w.id;
    if not found then raise sqlstate 'GR002' using message = 'A delivery names an event that does not exist.'; end if;
  end loop;
  for w in
    select * from json_to_recordset(p_deliveries) as g(m int, always boolean, mode text, id text, "eventId" text, "eventType" text,
      target text, status text, lane text, "createdAt" bigint, "dueAt" bigint, "leaseToken" text, "leaseUntil" bigint, claims int,
      "parkedAt" bigint, row json) where g.m <> all (refused)
  loop
    if not w.always then
      select url into found_text from gate.endpoints where partner_id = p_partner and mode = w.mode;
      continue when found_text is null;
    end if;
    insert into gate.deliveries (partner_id, mode, id, event_id, event_type, status, created_at, is_webhook, row)
    values (p_partner, w.mode, w.id, w."eventId", w."eventType", w.status, w."createdAt", w.target = 'webhook', w.row)
    on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
    continue when w."dueAt" is null or w."parkedAt" is not null;
    insert into gate.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, lease_token, lease_until, claims)
    values (w.id, p_partner, w.mode, w.lane, p_partner || '/' || w.mode || '/' || w.target, w."eventId", w."dueAt", w."leaseToken",
      w."leaseUntil", w.claims)
    on conflict do nothing;
  end loop;
  for w in
    select g.now, g.row, x.* from json_to_recordset(p_tasks) as g(m int, now bigint, row json), json_to_record(g.row) as x(id text,
      mode text, status text, "dueAt" bigint, "leaseToken" text, "leaseUntil" bigint, claims int) where g.m <> all (refused)
  loop
    insert into gate.tasks (partner_id, id, mode, free_at, lease_token, lease_until, claims, done_at, row)
    values (p_partner, w.id, w.mode, case when w.status = 'pending' then coalesce(w."leaseUntil", w."dueAt") end, w."leaseToken",
      w."leaseUntil", w.claims, case when w.status = 'done' then w.now end, w.row)
    on conflict do nothing;
    if not found then raise sqlstate 'GR001' using message = 'stale'; end if;
  end loop;
  for w in
    select g.now, g.id, g.row, x.* from json_to_recordset(p_finishes) as g(m int, now bigint, id text, row json),
      json_to_record(g.row) as x(status text, "dueAt" bigint, "leaseToken" text, "leaseUntil" bigint, claims int) where g.m <> all (refused)
  loop
    update gate.tasks set free_at = case when w.status = 'pending' then coalesce(w."leaseUntil", w."dueAt") end,
        lease_token = w."leaseToken", lease_until = w."leaseUntil", claims = w.claims,
        done_at = case when w.status = 'done' then w.now end, row = w.row
      where partner_id = p_partner and id = w.id;
  end loop;
  for w in
    select * from json_to_recordset(p_counters) as g(m int, n int, name text, delta numeric, floor numeric)
    where g.m <> all (refused) order by name, m, n
  loop
    insert into gate.counters as c (partner_id, name, value) values (p_partner, w.name, w.delta)
      on conflict (partner_id, name) do update set value = c.value + excluded.value
      where w.floor is null or c.value + excluded.value >= w.floor;
    if not found then raise sqlstate 'GR001' using message = 'again'; end if;
  end loop;

  if refused = '{}' then return null; end if;
  return json_build_object('refused', refused, 'stale', stale, 'duplicates', duplicates, 'insufficient', insufficient,
    'keys', keys)::text;
exception
  when sqlstate 'GR001' then return json_build_object('undone', sqlerrm)::text;
  when lock_not_available then return '{"undone":"stale"}';
  when deadlock_detected then return '{"undone":"again"}';
end $$;
comment on function gate.commit_of_partner is 'As commit_changes, for changes of one partner.';

create function gate.commit_audited_of_partner(
  p_audit json, p_partner text, p_known_consumers bigint, p_keys json, p_marks json, p_sessions json, p_intents json, p_transactions json,
  p_moved_sessions json, p_moved_intents json, p_moved_transactions json, p_documents json, p_moved_documents json, p_endpoints json,
  p_replays json, p_events json, p_deliveries json, p_borrowed_events json, p_tasks json, p_finishes json, p_counters json
) returns text language plpgsql as $$
declare
  answer text;
begin
  answer := gate.commit_of_partner(p_partner, p_known_consumers, p_keys, p_marks, p_sessions, p_intents, p_transactions, p_moved_sessions,
    p_moved_intents, p_moved_transactions, p_documents, p_moved_documents, p_endpoints, p_replays, p_events, p_deliveries,
    p_borrowed_events, p_tasks, p_finishes, p_counters);
  if answer is null and not gate.append_audit(p_audit) then raise sqlstate 'GR001' using message = 'stale'; end if;
  return answer;
exception
  when sqlstate 'GR001' then return json_build_object('undone', sqlerrm)::text;
  when lock_not_available then return '{"undone":"stale"}';
  when deadlock_detected then return '{"undone":"again"}';
end $$;
comment on function gate.commit_audited_of_partner is
  'One change of a partner with its audit entries. Not distributed: it runs where it is called. The audit trail is in reference tables, of
which every node has a copy.';

create function gate.save_audited(p_audit json, p_noun text, p_id text, p_partner text, p_mode text, p_url text, p_row json)
returns boolean language plpgsql set lock_timeout = '2s' as $$
declare
  stored jsonb;
  next jsonb := p_row::jsonb;
begin
  if not gate.append_audit(p_audit) then return false; end if;
  if p_noun = 'endpoint' then
    insert into gate.endpoints (partner_id, mode, url, row) values (p_partner, p_mode, p_url, p_row)
      on conflict (partner_id, mode) do update set url = excluded.url, row = excluded.row;
  elsif p_noun = 'key' then
    select row into stored from gate.api_keys where hash = p_id for no key update;
    if stored ->> 'revokedAt' is not null then p_row := jsonb_set(next, '{revokedAt}', stored -> 'revokedAt'); end if;
    insert into gate.api_keys (hash, partner_id, row) values (p_id, p_partner, p_row)
      on conflict (hash) do update set partner_id = excluded.partner_id, row = excluded.row;
  else
    select row into stored from gate.partners where id = p_id for no key update;
    if p_noun = 'suspension' then
      if stored is null then return true; end if;
      p_row := stored - 'suspendedAt' || jsonb_strip_nulls(next);
    elsif stored ->> 'suspendedAt' is not null then
      p_row := jsonb_set(next, '{suspendedAt}', stored -> 'suspendedAt');
    end if;
    insert into gate.partners (id, row) values (p_id, p_row) on conflict (id) do update set row = excluded.row;
  end if;
  return true;
end $$;
comment on function gate.save_audited is
  'Saves a partner, its suspension, a key or an endpoint. Returns false if the audit trail has grown since its entries were chained. Fields
that are kept are read under a lock first, because no statement may compute with a column of a reference table.';
