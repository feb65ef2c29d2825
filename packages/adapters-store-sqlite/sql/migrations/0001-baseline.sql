-- Everything the store keeps. A row that the domain replaces as a whole is the very JSON it was decided as (`row`); what it is found,
-- filtered or ordered by are columns that SQLite reads out of it, stored nowhere but in the indexes that have them.
--
-- Ids compare by their bytes, so the order of a list is the order of creation.
--
-- An index that a list is walked along also has, after the id, what the list is filtered by: of rows that do not fit only the index is
-- read, which is thirty times as quick as reading a column out of a row. An index of few rows (a session's, an event's) does not need it.

create table idempotency_keys (
  scope text not null,
  key_hash text not null,
  mode text not null,
  fingerprint text not null,
  state text not null,
  expires_at integer not null,
  primary key (scope, key_hash)
) strict, without rowid;
create index idempotency_keys_expiring on idempotency_keys (mode, expires_at);

create table once_marks (mark text primary key) strict, without rowid;

create table sessions (
  id text primary key,
  row text not null,
  partner_id text as (row ->> 'partnerId'),
  mode text as (row ->> 'mode'),
  version integer as (row ->> 'version'),
  status text as (row ->> 'status'),
  flow text as (row ->> '$.terms.flow'),
  currency text as (row ->> '$.terms.currency'),
  user_reference text as (row ->> 'userReference'),
  created_at integer as (row ->> 'createdAt'),
  expires_at integer as (row ->> 'expiresAt'),
  held_since integer as (row ->> 'heldSince')
) strict;
create index sessions_listed on sessions (partner_id, mode, id, flow, currency, created_at);
create index sessions_by_status on sessions
  (partner_id, mode, status, id, flow, currency, held_since, expires_at, created_at);
create index sessions_held on sessions (mode) where held_since is not null;
create index sessions_of_user on sessions
  (partner_id, mode, user_reference, id, status, flow, currency, held_since, expires_at, created_at)
  where user_reference is not null;

create table intents (
  id text primary key,
  row text not null,
  partner_id text as (row ->> 'partnerId'),
  mode text as (row ->> 'mode'),
  version integer as (row ->> 'version'),
  provider text as (row ->> 'provider'),
  operation_id text as (row ->> 'operationId')
) strict;
create index intents_by_operation on intents (operation_id, provider, mode);

create table transactions (
  id text primary key,
  row text not null,
  partner_id text as (row ->> 'partnerId'),
  mode text as (row ->> 'mode'),
  version integer as (row ->> 'version'),
  session_id text as (row ->> 'sessionId'),
  status text as (row ->> 'status'),
  flow text as (row ->> 'flow'),
  user_reference text as (row ->> 'userReference'),
  created_at integer as (row ->> 'createdAt')
) strict;
create index transactions_listed on transactions (partner_id, mode, id, flow, created_at);
create index transactions_by_status on transactions (partner_id, mode, status, id, flow, created_at);
create index transactions_of_session on transactions (partner_id, mode, session_id, id) where session_id is not null;
create index transactions_of_user on transactions (partner_id, mode, user_reference, id, status, flow, created_at)
  where user_reference is not null;

-- Rows of nouns that the store knows nothing of but what they are found and listed by.
create table documents (
  partner_id text not null,
  mode text not null,
  noun text not null,
  id text not null,
  row text not null,
  version integer as (row ->> 'version'),
  group_key text as (row ->> 'group'),
  created_at integer as (row ->> 'createdAt'),
  keep_until integer as (row ->> 'keepUntil'),
  primary key (partner_id, mode, noun, id)
) strict;
create index documents_of_group on documents (partner_id, mode, noun, group_key, id) where group_key is not null;
create index documents_kept_until on documents (mode, keep_until) where keep_until is not null;

-- The body is frozen text, so an event is columns. Ids are random: the order is that of creation, then of the sequence.
create table events (
  id text primary key,
  partner_id text not null,
  mode text not null,
  session_id text,
  sequence integer,
  type text not null,
  created_at integer not null,
  body text not null,
  place integer as (coalesce(sequence, 0))
) strict;
create unique index events_of_session on events (session_id, sequence) where session_id is not null;
create index events_listed on events (partner_id, mode, created_at, place, id);
create index events_by_type on events (partner_id, mode, type, created_at, place, id);

create table deliveries (
  id text primary key,
  row text not null,
  -- Deliveries of one endpoint share its places.
  endpoint text not null,
  -- When it may be claimed: at its due time, or when its lease ends. Null: never.
  free_at integer,
  ended_at integer,
  partner_id text as (row ->> 'partnerId'),
  mode text as (row ->> 'mode'),
  lane text as (row ->> 'lane'),
  lease_token text as (row ->> 'leaseToken'),
  lease_until integer as (row ->> 'leaseUntil'),
  status text as (row ->> 'status'),
  target text as (row ->> 'target'),
  event_id text as (row ->> 'eventId'),
  event_type text as (row ->> 'eventType'),
  session_id text as (row ->> 'sessionId'),
  created_at integer as (row ->> 'createdAt')
) strict;
create index deliveries_listed on deliveries (partner_id, mode, id, target, event_type, created_at);
create index deliveries_by_status on deliveries (partner_id, mode, status, id, target, event_type, created_at);
create index deliveries_of_event on deliveries (partner_id, mode, event_id, id);
create index deliveries_of_session on deliveries (partner_id, mode, session_id, id) where session_id is not null;
create index deliveries_due on deliveries (mode, lane, endpoint, free_at, id) where free_at is not null;
create index deliveries_leased on deliveries (mode, lane, endpoint, lease_until) where lease_token is not null;
create index deliveries_ended on deliveries (mode, ended_at) where ended_at is not null;

-- What each endpoint has that is free first. A claim walks along these, so that it reads what it takes, however much waits at one of them.
create table queue_heads (
  mode text not null,
  lane text not null,
  endpoint text not null,
  free_at integer not null,
  primary key (mode, lane, endpoint)
) strict, without rowid;
create index queue_heads_due on queue_heads (mode, lane, free_at);
create index queue_heads_soonest on queue_heads (mode, free_at);

create trigger deliveries_queued after insert on deliveries when new.free_at is not null begin
  insert into queue_heads (mode, lane, endpoint, free_at) values (new.mode, new.lane, new.endpoint, new.free_at)
    on conflict do update set free_at = min(free_at, excluded.free_at);
end;

create trigger deliveries_moved after update on deliveries when old.free_at is not null or new.free_at is not null begin
  delete from queue_heads where mode = old.mode and lane = old.lane and endpoint = old.endpoint;
  insert into queue_heads (mode, lane, endpoint, free_at)
    select mode, lane, endpoint, free_at from deliveries
    where mode = old.mode and lane = old.lane and endpoint = old.endpoint and free_at is not null order by free_at limit 1;
  insert into queue_heads (mode, lane, endpoint, free_at)
    select new.mode, new.lane, new.endpoint, new.free_at where new.free_at is not null
    on conflict do update set free_at = min(free_at, excluded.free_at);
end;

create table delivery_attempts (
  delivery_id text not null,
  number integer not null,
  row text not null,
  primary key (delivery_id, number)
) strict, without rowid;

create table tasks (
  id text primary key,
  row text not null,
  free_at integer,
  done_at integer,
  mode text as (row ->> 'mode'),
  lease_token text as (row ->> 'leaseToken')
) strict;
create index tasks_due on tasks (mode, free_at, id) where free_at is not null;
create index tasks_parked on tasks (mode, id) where free_at is null and done_at is null;
create index tasks_done on tasks (mode, done_at) where done_at is not null;

create table counters (name text primary key, value text not null) strict, without rowid;

create table partners (id text primary key, row text not null) strict;
create table api_keys (hash text primary key, partner_id text not null, row text not null, last_used_at integer) strict;
create index api_keys_of_partner on api_keys (partner_id);
create table endpoints (
  partner_id text not null, mode text not null, row text not null, primary key (partner_id, mode)
) strict;
create table endpoint_health (
  partner_id text not null, mode text not null, row text not null, primary key (partner_id, mode)
) strict;

create table consumers (
  name text not null, type text not null, is_removed integer not null, version integer not null, primary key (name, type)
) strict;

create table settings (name text primary key, value text not null) strict;

-- The books of the sandbox provider. `ended_at`: when the operation came to rest.
create table sandbox_operations (
  operation_id text primary key,
  operation text not null,
  ended_at integer,
  version integer as (operation ->> 'version'),
  mode text as (operation ->> 'mode')
) strict;
create index sandbox_operations_ended on sandbox_operations (mode, ended_at) where ended_at is not null;

-- Packages of sessions that are open, each sealed under a master key together with its session.
create table kyc_packages (
  session_id text primary key,
  partner_id text not null,
  mode text not null,
  forget_by integer not null,
  sealed text not null
) strict;
create index kyc_packages_to_forget on kyc_packages (mode, forget_by);

-- What provider legs keep: operations, quotes, nonces and signed transactions. A null `due_at` wants no work.
create table leg_documents (
  kind text not null,
  id text not null,
  version integer not null,
  status text not null,
  due_at integer,
  body text not null,
  primary key (kind, id)
) strict;
create index leg_documents_due on leg_documents (kind, due_at, id) where due_at is not null;
create index leg_documents_of_status on leg_documents (kind, status, id);

-- Movements of money of provider legs, double entry.
create table leg_entries (
  id text primary key,
  operation_id text not null,
  at integer not null,
  postings text not null
) strict;
create index leg_entries_of_operation on leg_entries (operation_id, at, id);
