/**
 * Everything the store keeps. Each row that the domain replaces as a whole is kept as the very JSON it was decided as (`row`), beside the
 * columns that are filtered, ordered or compared. Ids compare by their bytes ("C"), so the order of a list is the order of creation in
 * whatever locale the database was made.
 *
 * Keys begin with partner and mode and end in a time-ordered id: they page, shard by partner and partition by ranges of the id.
 */
export const tables = `
create table gate.idempotency_keys (
  scope text collate "C" not null,
  key_hash text collate "C" not null,
  mode text collate "C" not null,
  fingerprint text not null,
  reply text,
  resource_id text,
  task_id text,
  -- claim or seal: which kind of write made the row what it is.
  written_by text not null,
  taken_at bigint not null,
  expires_at bigint not null,
  primary key (scope, key_hash)
);
create index idempotency_keys_expiring on gate.idempotency_keys (mode, expires_at);

create table gate.once_marks (mark text collate "C" primary key);

create table gate.sessions (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  version int not null,
  status text collate "C" not null,
  flow text collate "C",
  currency text collate "C" not null,
  user_reference text collate "C",
  created_at bigint not null,
  expires_at bigint not null,
  is_held boolean not null,
  row json not null,
  primary key (partner_id, mode, id)
);
create index sessions_of_user on gate.sessions (partner_id, mode, user_reference, id) where user_reference is not null;
create index sessions_closed on gate.sessions (partner_id, mode, status, id) where status <> 'open';

create table gate.intents (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  version int not null,
  provider text collate "C" not null,
  operation_id text collate "C" not null,
  row json not null,
  primary key (partner_id, mode, id)
);
create index intents_by_operation on gate.intents (operation_id, provider, mode);

create table gate.transactions (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  version int not null,
  session_id text collate "C" not null,
  status text collate "C" not null,
  flow text collate "C" not null,
  user_reference text collate "C",
  created_at bigint not null,
  row json not null,
  primary key (partner_id, mode, id)
);
create index transactions_of_session on gate.transactions (session_id);
create index transactions_of_user on gate.transactions (partner_id, mode, user_reference, id) where user_reference is not null;
create index transactions_by_status on gate.transactions (partner_id, mode, status, id);
create index transactions_by_time on gate.transactions (partner_id, mode, created_at);

-- Bodies are text: frozen bytes, never parsed.
create table gate.events (
  id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  session_id text collate "C",
  sequence int,
  type text not null,
  created_at bigint not null,
  body text not null
);
create unique index events_of_session on gate.events (session_id, sequence) where session_id is not null;

create table gate.deliveries (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  event_id text collate "C" not null,
  event_type text collate "C" not null,
  status text collate "C" not null,
  created_at bigint not null,
  ended_at bigint,
  row json not null,
  primary key (partner_id, mode, id)
);
create index deliveries_of_event on gate.deliveries (event_id);
create index deliveries_troubled on gate.deliveries (partner_id, mode, status, id) where status in ('retrying', 'dead_lettered');
create index deliveries_ended on gate.deliveries (mode, ended_at) where ended_at is not null;

-- What is still to be delivered. Apart from the deliveries, so that a lease rewrites a narrow row and no index of the list.
create table gate.delivery_queue (
  id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  lane text collate "C" not null,
  endpoint text collate "C" not null,
  event_id text collate "C" not null,
  -- When it is free to take: its due time, or the end of its lease.
  free_at bigint not null,
  lease_token text,
  lease_until bigint,
  claims int not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index delivery_queue_due on gate.delivery_queue (mode, lane, free_at, id);
create index delivery_queue_fair on gate.delivery_queue (mode, lane, endpoint, free_at, id);
create index delivery_queue_leased on gate.delivery_queue (lane, endpoint, lease_until) where lease_token is not null;

create table gate.delivery_attempts (
  delivery_id text collate "C" not null,
  number int not null,
  row json not null,
  primary key (delivery_id, number)
);

create table gate.tasks (
  id text collate "C" primary key,
  mode text collate "C" not null,
  -- When it is free to take; null when it is done or parked.
  free_at bigint,
  lease_token text,
  lease_until bigint,
  claims int not null,
  done_at bigint,
  row json not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
create index tasks_due on gate.tasks (mode, free_at, id) where free_at is not null;
create index tasks_done on gate.tasks (mode, done_at) where done_at is not null;

create table gate.counters (name text collate "C" primary key, value numeric not null) with (fillfactor = 50);

create table gate.partners (id text collate "C" primary key, row json not null);
create table gate.api_keys (hash text collate "C" primary key, partner_id text collate "C" not null, row json not null);
create index api_keys_of_partner on gate.api_keys (partner_id);
create table gate.endpoints (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  url text,
  row json not null,
  primary key (partner_id, mode)
);

create table gate.settings (name text collate "C" primary key, value text not null);
`;
