-- `commit_changes` applies several changes ("members", numbered `m`) in one statement and one round trip. It is a function because each
-- statement inside a function sees everything that was committed before that statement began: rows are locked first, so what is read
-- afterwards is current.
--
-- First, everything is locked and checked, and nothing is written; then keys are taken; then whatever was not refused is written.
-- Classes of rows are locked in one order, and the rows of a class in the order of the parameters, which callers sort, so two calls
-- cannot deadlock. A call that waits for a row longer than two seconds gives up, so that one locked row cannot delay a whole batch.
--
-- A plan is kept until Postgres learns something new about its tables, and the first plans are made while these are empty, when any
-- index looks as good as another and a whole table as good as one of its rows. So no plan may be possible that reads more as a table
-- grows (decision 32): everything is joined along a key, and whether a partner has a URL is asked as a value, since Postgres may look
-- in the whole table for something that only has to exist.

create function gate.commit_changes(
  p_keys json, p_marks json,
  p_sessions json, p_intents json, p_transactions json,
  p_moved_sessions json, p_moved_intents json, p_moved_transactions json, p_documents json, p_moved_documents json,
  p_endpoints json, p_replays json, p_events json, p_deliveries json, p_borrowed_events json, p_tasks json, p_finishes json, p_counters json
) returns json language plpgsql
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan set lock_timeout = '2s'
as $$
declare
  refused int[] := '{}';
  stale int[] := '{}';
  more int[];
  duplicates json;
  insufficient json;
  keys json;
  missing int;
  move record;
begin
  if p_moved_sessions is not null then
    select array_agg(w.m) into more from json_to_recordset(p_moved_sessions) as w(m int, expected int, partner text, mode text, id text)
      left join lateral (
        select version from gate.sessions where partner_id = w.partner and mode = w.mode and id = w.id for no key update
      ) s on true
      where s.version is distinct from w.expected;
    refused := refused || more;
  end if;
  if p_moved_intents is not null then
    select array_agg(w.m) into more from json_to_recordset(p_moved_intents) as w(m int, expected int, partner text, mode text, id text)
      left join lateral (
        select version from gate.intents where partner_id = w.partner and mode = w.mode and id = w.id for no key update
      ) s on true
      where s.version is distinct from w.expected;
    refused := refused || more;
  end if;
  if p_moved_transactions is not null then
    select array_agg(w.m) into more from json_to_recordset(p_moved_transactions) as w(m int, expected int, partner text, mode text, id text)
      left join lateral (
        select version from gate.transactions where partner_id = w.partner and mode = w.mode and id = w.id for no key update
      ) s on true
      where s.version is distinct from w.expected;
    refused := refused || more;
  end if;
  if p_moved_documents is not null then
    select array_agg(w.m) into more
      from json_to_recordset(p_moved_documents) as w(m int, expected int, "partnerId" text, mode text, noun text, id text)
      left join lateral (
        select version from gate.documents d
          where d.partner_id = w."partnerId" and d.mode = w.mode and d.noun = w.noun and d.id = w.id for no key update
      ) d on true
      where d.version is distinct from w.expected;
    refused := refused || more;
  end if;
  if p_endpoints is not null then
    select array_agg(w.m) into more from json_to_recordset(p_endpoints) as w(m int, partner text, mode text, expected jsonb)
      left join lateral (
        select row from gate.endpoints where partner_id = w.partner and mode = w.mode for no key update
      ) e on true
      where e.row::jsonb is distinct from w.expected;
    refused := refused || more;
  end if;
  if p_replays is not null then
    select array_agg(w.m) into more from json_to_recordset(p_replays) as w(m int, partner text, mode text, id text, replays int)
      left join lateral (
        select status, coalesce((row ->> 'replayCount')::int, 0) as replays from gate.deliveries
          where partner_id = w.partner and mode = w.mode and id = w.id for no key update
      ) d on true
      where d.status is distinct from 'dead_lettered' or d.replays is distinct from w.replays - 1;
    refused := refused || more;
  end if;
  if p_finishes is not null then
    select array_agg(w.m) into more from json_to_recordset(p_finishes) as w(m int, token text, id text)
      left join lateral (select lease_token from gate.tasks where id = w.id for no key update) t on true
      where t.lease_token is distinct from w.token;
    refused := refused || more;
  end if;
  stale := refused;
  if p_marks is not null then
    select json_agg(d), array_agg(d.m) into duplicates, more from (
      select distinct on (w.m) w.m, w.mark from json_to_recordset(p_marks) as w(m int, n int, mark text)
      join gate.once_marks o on o.mark = w.mark order by w.m, w.n) d;
    refused := refused || more;
  end if;
  -- A balance that is too low now is refused without a write. One that another call lowers meanwhile is refused when it is changed.
  if p_counters is not null then
    select json_agg(c), array_agg(c.m) into insufficient, more from (
      select distinct on (f.m) f.m, f.counter from (
        select w.m, w.n, w.name as counter, w.floor, coalesce(c.value, 0) + sum(w.delta) over (partition by w.m, w.name order by w.n) as value
        from json_to_recordset(p_counters) as w(m int, n int, name text, delta numeric, floor numeric)
        left join gate.counters c on c.name = w.name) f
      where f.value < f.floor order by f.m, f.n) c;
    refused := refused || more;
  end if;

  -- Taking a key waits for a transaction that is taking it, so the row that is read afterwards is the committed answer.
  if p_keys is not null then
    with w as materialized (
        select * from json_to_recordset(p_keys) as w(m int, scope text, hash text, mode text, print text, reply text, resource text,
          task text, kind text, now bigint, expires bigint)),
      taken as (
        insert into gate.idempotency_keys as k
          (scope, key_hash, mode, fingerprint, reply, resource_id, task_id, written_by, taken_at, expires_at)
        select scope, hash, mode, print, reply, resource, task, kind, now, expires from w where m <> all (refused)
        on conflict (scope, key_hash) do update set mode = excluded.mode, fingerprint = excluded.fingerprint, reply = excluded.reply,
          resource_id = excluded.resource_id, task_id = excluded.task_id, written_by = excluded.written_by,
          taken_at = excluded.taken_at, expires_at = excluded.expires_at
        where k.expires_at <= excluded.taken_at
          or (excluded.written_by = 'seal' and k.reply is null and k.fingerprint = excluded.fingerprint)
        returning k.scope, k.key_hash)
      select array_agg(w.m) into more from w
        where not exists (select from taken t where t.scope = w.scope and t.key_hash = w.hash);
    if more is not null then
      select json_agg(json_build_object('m', w.m, 'fingerprint', k.fingerprint, 'reply', k.reply,
          'resourceId', k.resource_id, 'taskId', k.task_id, 'expiresAt', k.expires_at)) into keys
        from json_to_recordset(p_keys) as w(m int, scope text, hash text)
        join gate.idempotency_keys k on k.scope = w.scope and k.key_hash = w.hash
        where w.m = any (more);
      refused := refused || more;
    end if;
  end if;

  if p_marks is not null then
    with w as materialized (select w.mark from json_to_recordset(p_marks) as w(m int, mark text) where w.m <> all (refused)),
      kept as (insert into gate.once_marks (mark) select mark from w order by mark on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'again'; end if;
  end if;
  if p_sessions is not null then
    with w as materialized (
        select x.*, w.row from json_to_recordset(p_sessions) as w(m int, row json), json_to_record(w.row) as x("partnerId" text, mode text,
          id text, version int, status text, terms json, "userReference" text, "createdAt" bigint, "expiresAt" bigint, "heldSince" bigint)
        where w.m <> all (refused)),
      kept as (
        insert into gate.sessions
          (partner_id, mode, id, version, status, flow, currency, user_reference, created_at, expires_at, is_held, row)
        select "partnerId", mode, id, version, status, terms ->> 'flow', terms ->> 'currency', "userReference", "createdAt", "expiresAt",
          "heldSince" is not null, row from w
        on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  if p_moved_sessions is not null then
    update gate.sessions s set version = x.version, status = x.status, flow = x.terms ->> 'flow', currency = x.terms ->> 'currency',
        user_reference = x."userReference", created_at = x."createdAt", expires_at = x."expiresAt",
        is_held = x."heldSince" is not null, row = w.row
      from json_to_recordset(p_moved_sessions) as w(m int, partner text, mode text, id text, row json),
        json_to_record(w.row) as x(version int, status text, terms json, "userReference" text, "createdAt" bigint, "expiresAt" bigint,
          "heldSince" bigint)
      where s.partner_id = w.partner and s.mode = w.mode and s.id = w.id and w.m <> all (refused);
  end if;
  if p_intents is not null then
    with w as materialized (
        select x.*, w.row from json_to_recordset(p_intents) as w(m int, row json), json_to_record(w.row) as x("partnerId" text, mode text,
          id text, version int, provider text, "operationId" text)
        where w.m <> all (refused)),
      kept as (
        insert into gate.intents (partner_id, mode, id, version, provider, operation_id, row)
        select "partnerId", mode, id, version, provider, "operationId", row from w
        on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  if p_moved_intents is not null then
    update gate.intents i set version = x.version, provider = x.provider, operation_id = x."operationId", row = w.row
      from json_to_recordset(p_moved_intents) as w(m int, partner text, mode text, id text, row json),
        json_to_record(w.row) as x(version int, provider text, "operationId" text)
      where i.partner_id = w.partner and i.mode = w.mode and i.id = w.id and w.m <> all (refused);
  end if;
  if p_transactions is not null then
    with w as materialized (
        select x.*, w.row from json_to_recordset(p_transactions) as w(m int, row json), json_to_record(w.row) as x("partnerId" text,
          mode text, refid text, version int, "sessionId" text, status text, flow text, "userReference" text, "createdAt" bigint)
        where w.m <> all (refused)),
      kept as (
        insert into gate.transactions (partner_id, mode, id, version, session_id, status, flow, user_reference, created_at, row)
        select "partnerId", mode, refid, version, "sessionId", status, flow, "userReference", "createdAt", row from w
        on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  if p_moved_transactions is not null then
    update gate.transactions t set version = x.version, session_id = x."sessionId", status = x.status, flow = x.flow,
        user_reference = x."userReference", created_at = x."createdAt", row = w.row
      from json_to_recordset(p_moved_transactions) as w(m int, partner text, mode text, id text, row json),
        json_to_record(w.row) as x(version int, "sessionId" text, status text, flow text, "userReference" text, "createdAt" bigint)
      where t.partner_id = w.partner and t.mode = w.mode and t.id = w.id and w.m <> all (refused);
  end if;
  if p_documents is not null then
    with w as materialized (
        select * from json_to_recordset(p_documents) as w(m int, "partnerId" text, mode text, noun text, id text, version int,
          "group" text, "createdAt" bigint, "keepUntil" bigint, body text)
        where w.m <> all (refused)),
      kept as (
        insert into gate.documents (partner_id, mode, noun, id, version, group_key, created_at, keep_until, body)
        select "partnerId", mode, noun, id, version, "group", "createdAt", "keepUntil", body from w
        on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  if p_moved_documents is not null then
    update gate.documents d set version = w.version, keep_until = w."keepUntil", body = w.body
      from json_to_recordset(p_moved_documents) as w(m int, "partnerId" text, mode text, noun text, id text, version int,
        "keepUntil" bigint, body text)
      where d.partner_id = w."partnerId" and d.mode = w.mode and d.noun = w.noun and d.id = w.id and w.m <> all (refused);
  end if;
  if p_endpoints is not null then
    update gate.endpoints e set url = w.url, row = w.row
      from json_to_recordset(p_endpoints) as w(m int, partner text, mode text, url text, expected json, row json)
      where e.partner_id = w.partner and e.mode = w.mode and w.expected is not null and w.m <> all (refused);
    with w as materialized (
        select * from json_to_recordset(p_endpoints) as w(m int, partner text, mode text, url text, expected json, row json)
        where w.expected is null and w.m <> all (refused)),
      kept as (
        insert into gate.endpoints (partner_id, mode, url, row) select partner, mode, url, row from w
        on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  -- The statement that dead-lettered a delivery has removed it from the queue.
  if p_replays is not null then
    with w as materialized (
        select * from json_to_recordset(p_replays) as w(m int, partner text, mode text, id text, event text, target text, status text,
          lane text, "dueAt" bigint, row json)
        where w.m <> all (refused)),
      moved as (
        update gate.deliveries d set status = w.status, ended_at = null, row = w.row
        from w where d.partner_id = w.partner and d.mode = w.mode and d.id = w.id)
      insert into gate.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, claims)
      select id, partner, mode, lane, partner || '/' || mode || '/' || target, event, "dueAt", 0 from w;
  end if;
  if p_events is not null then
    with w as materialized (
        select * from json_to_recordset(p_events) as w(m int, id text, "partnerId" text, mode text, "sessionId" text, sequence int,
          type text, "createdAt" bigint, body text)
        where w.m <> all (refused)),
      kept as (
        insert into gate.events (id, partner_id, mode, session_id, sequence, type, created_at, body)
        select id, "partnerId", mode, "sessionId", sequence, type, "createdAt", body from w
        on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  -- A delivery without its event could never be sent.
  if p_borrowed_events is not null and exists (
    select from json_to_recordset(p_borrowed_events) as w(m int, id text)
    where w.m <> all (refused) and not exists (select from gate.events e where e.id = w.id)) then
    raise sqlstate 'GR002' using message = 'A delivery names an event that does not exist.';
  end if;
  if p_deliveries is not null then
    with w as materialized (
        select * from json_to_recordset(p_deliveries) as w(m int, always boolean, "partnerId" text, mode text, id text, "eventId" text,
          "eventType" text, target text, status text, lane text, "createdAt" bigint, "dueAt" bigint, "leaseToken" text,
          "leaseUntil" bigint, claims int, "parkedAt" bigint, row json)
        where w.m <> all (refused) and (w.always or (
          select e.url from gate.endpoints e where e.partner_id = w."partnerId" and e.mode = w.mode) is not null)),
      kept as (
        insert into gate.deliveries (partner_id, mode, id, event_id, event_type, status, created_at, is_webhook, row)
        select "partnerId", mode, id, "eventId", "eventType", status, "createdAt", target = 'webhook', row from w
        on conflict do nothing returning 1),
      queued as (
        insert into gate.delivery_queue (id, partner_id, mode, lane, endpoint, event_id, due_at, lease_token, lease_until, claims)
        select id, "partnerId", mode, lane, "partnerId" || '/' || mode || '/' || target, "eventId", "dueAt", "leaseToken", "leaseUntil",
          claims
        from w where "dueAt" is not null and "parkedAt" is null
        on conflict do nothing)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  if p_tasks is not null then
    with w as materialized (
        select x.*, w.now, w.row from json_to_recordset(p_tasks) as w(m int, now bigint, row json), json_to_record(w.row) as x(id text,
          mode text, status text, "dueAt" bigint, "leaseToken" text, "leaseUntil" bigint, claims int)
        where w.m <> all (refused)),
      kept as (
        insert into gate.tasks (id, mode, free_at, lease_token, lease_until, claims, done_at, row)
        select id, mode, case when status = 'pending' then coalesce("leaseUntil", "dueAt") end, "leaseToken", "leaseUntil", claims,
          case when status = 'done' then now end, row from w
        on conflict do nothing returning 1)
      select (select count(*) from w) - (select count(*) from kept) into missing;
    if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  end if;
  if p_finishes is not null then
    update gate.tasks t set free_at = case when x.status = 'pending' then coalesce(x."leaseUntil", x."dueAt") end,
        lease_token = x."leaseToken", lease_until = x."leaseUntil", claims = x.claims,
        done_at = case when x.status = 'done' then w.now end, row = w.row
      from json_to_recordset(p_finishes) as w(m int, now bigint, id text, row json),
        json_to_record(w.row) as x(status text, "dueAt" bigint, "leaseToken" text, "leaseUntil" bigint, claims int)
      where t.id = w.id and w.m <> all (refused);
  end if;
  if p_counters is not null then
    for move in select w.m, w.name, w.delta, w.floor from json_to_recordset(p_counters) as w(m int, n int, name text, delta numeric, floor numeric)
      where w.m <> all (refused) order by w.name, w.m, w.n
    loop
      insert into gate.counters as c (name, value) values (move.name, move.delta)
        on conflict (name) do update set value = c.value + excluded.value where move.floor is null or c.value + excluded.value >= move.floor;
      if not found then raise sqlstate 'GR001' using message = 'again'; end if;
    end loop;
  end if;

  if refused = '{}' then return null; end if;
  return json_build_object('refused', refused, 'stale', stale, 'duplicates', duplicates, 'insufficient', insufficient, 'keys', keys);
end $$;
comment on function gate.commit_changes is
  'Applies several changes in one statement. Returns null if all were committed, otherwise what the caller needs to tell each refused
one why. What no lock can prevent (a new id or mark that another transaction has just inserted) raises GR001 and undoes the whole
statement; the caller then commits the changes one by one.';

create function gate.commit_changes_quietly(
  p_keys json, p_marks json, p_sessions json, p_intents json, p_transactions json, p_moved_sessions json, p_moved_intents json,
  p_moved_transactions json, p_documents json, p_moved_documents json, p_endpoints json, p_replays json, p_events json, p_deliveries json,
  p_borrowed_events json, p_tasks json, p_finishes json, p_counters json
) returns json language plpgsql as $$
begin
  return gate.commit_changes(p_keys, p_marks, p_sessions, p_intents, p_transactions, p_moved_sessions, p_moved_intents,
    p_moved_transactions, p_documents, p_moved_documents, p_endpoints, p_replays, p_events, p_deliveries,
    p_borrowed_events, p_tasks, p_finishes, p_counters);
exception
  when sqlstate 'GR001' then return json_build_object('undone', sqlerrm);
  when lock_not_available then return json_build_object('undone', 'stale');
  when deadlock_detected then return json_build_object('undone', 'again');
end $$;
comment on function gate.commit_changes_quietly is
  'For the transaction of a host: a conflict undoes only this call and is returned instead of raised.';

create function gate.commit_audited(
  p_audit json, p_keys json, p_marks json, p_sessions json, p_intents json, p_transactions json, p_moved_sessions json,
  p_moved_intents json, p_moved_transactions json, p_documents json, p_moved_documents json, p_endpoints json, p_replays json,
  p_events json, p_deliveries json, p_borrowed_events json, p_tasks json, p_finishes json, p_counters json
) returns json language plpgsql as $$
declare
  answer json;
begin
  answer := gate.commit_changes(p_keys, p_marks, p_sessions, p_intents, p_transactions, p_moved_sessions, p_moved_intents,
    p_moved_transactions, p_documents, p_moved_documents, p_endpoints, p_replays, p_events, p_deliveries,
    p_borrowed_events, p_tasks, p_finishes, p_counters);
  if answer is null and not gate.append_audit(p_audit) then raise sqlstate 'GR001' using message = 'stale'; end if;
  return answer;
exception
  when sqlstate 'GR001' then return json_build_object('undone', sqlerrm);
  when lock_not_available then return json_build_object('undone', 'stale');
  when deadlock_detected then return json_build_object('undone', 'again');
end $$;
comment on function gate.commit_audited is
  'One change with its audit entries. A conflict undoes the change and is returned instead of raised. The end of the trail is locked
last, so that it is locked as briefly as possible.';

create function gate.rehearse_commit() returns double precision language plpgsql
set jit = off set lock_timeout = '500ms' set temp_tablespaces = '' set work_mem = '64kB'
as $$
begin
  lock table gate.sessions, gate.intents, gate.transactions, gate.documents, gate.events, gate.deliveries, gate.delivery_queue,
    gate.idempotency_keys, gate.once_marks, gate.tasks, gate.counters in row exclusive mode;
  -- More rows than fit in memory are written to a file, which a full disk refuses as it refuses the next page of a table.
  perform g from generate_series(1, 20000) g order by g desc offset 19999;
  insert into gate.settings (name, value) values ('probed', clock_timestamp())
    on conflict (name) do update set value = excluded.value;
  return extract(epoch from clock_timestamp()) * 1000;
end $$;
comment on function gate.rehearse_commit() is
  'Fails where commits fail: a table is locked, the disk is full, or the server is read-only. Returns the time in milliseconds.';
