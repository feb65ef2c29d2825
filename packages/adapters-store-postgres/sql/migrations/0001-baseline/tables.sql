-- Everything the store keeps. Each row that the domain replaces as a whole is kept as the very JSON it was decided as
-- (`row`), beside the columns that are filtered, ordered or compared. Ids compare by their bytes ("C"), so the order of
-- a list is the order of creation in whatever locale the database was made.
--
-- Keys begin with partner and mode and end in a time-ordered id: they page, shard by partner and partition by ranges of
-- the id.

create table gate.idempotency_keys (
  scope text collate "C" not null,
  key_hash text collate "C" not null,
  mode text collate "C" not null,
  fingerprint text not null,
  reply text,
  resource_id text,
  task_id text,
  written_by text not null,
  taken_at bigint not null,
  expires_at bigint not null,
  primary key (scope, key_hash)
);
comment on column gate.idempotency_keys.written_by is 'claim or seal: which kind of write made the row what it is.';
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
create index sessions_held on gate.sessions (mode) where is_held;
comment on index gate.sessions_held is 'Few are held at any moment; whoever counts them must not read the others.';

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
  session_id text collate "C",
  status text collate "C" not null,
  flow text collate "C" not null,
  user_reference text collate "C",
  created_at bigint not null,
  row json not null,
  primary key (partner_id, mode, id)
);
create index transactions_of_session on gate.transactions (session_id) where session_id is not null;

create table gate.documents (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  noun text collate "C" not null,
  id text collate "C" not null,
  version int not null,
  group_key text collate "C",
  created_at bigint not null,
  keep_until bigint,
  body text not null,
  primary key (partner_id, mode, noun, id)
);
comment on table gate.documents is 'Rows of nouns that the store knows nothing of but what they are found and listed by.';
comment on column gate.documents.body is 'Text: kept byte for byte.';
create index documents_of_group on gate.documents (partner_id, mode, noun, group_key, id) where group_key is not null;
create index documents_kept_until on gate.documents (mode, keep_until) where keep_until is not null;

create table gate.events (
  id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  session_id text collate "C",
  sequence int,
  type text collate "C" not null,
  created_at bigint not null,
  body text not null
);
comment on column gate.events.body is 'Text: frozen bytes, never parsed.';
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
  is_webhook boolean not null,
  row json not null,
  attempts json[],
  kind text collate "C" generated always as
    (case when is_webhook then case when status in ('retrying', 'dead_lettered') then status else 'quiet' end end) stored,
  primary key (partner_id, mode, id)
) with (fillfactor = 22);
comment on table gate.deliveries is
  'Nothing that changes when a first attempt succeeds is in an index, and a page has room for a second version of each of its rows: one
statement rewrites all of them in place (heap-only updates).';
comment on column gate.deliveries.row is
  'What the columns do not tell, of that what is not as in every new delivery: most are delivered at the first attempt, and their rows are
written and read several times.';
comment on column gate.deliveries.attempts is
  'In their order. In the row, which the end of an attempt rewrites anyhow, rather than in rows and an index of their own.';
comment on column gate.deliveries.kind is
  'What lists walk along, null where it is no partner''s to see. A column, as an index on status would be rewritten when
a first attempt succeeds.';
-- "POSIX" is the order of "C" under another name: a search for old deliveries uses this index, and a look-up by key cannot,
-- because a kept plan must not read more as the table grows.
create index deliveries_by_creation on gate.deliveries (mode collate "POSIX", created_at);
comment on index gate.deliveries_by_creation is
  'Deliveries end soon after they were made, so this order serves to find those that ended long ago.';
create index deliveries_of_event on gate.deliveries (event_id);

create table gate.delivery_queue (
  id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  lane text collate "C" not null,
  endpoint text collate "C" not null,
  event_id text collate "C" not null,
  due_at bigint not null,
  lease_token text,
  lease_until bigint,
  claims int not null
) with (fillfactor = 45, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
comment on table gate.delivery_queue is
  'What is still to be delivered. Apart from the deliveries, so that a lease rewrites a narrow row and no index of the
list. No index knows of leases, and a page has room for a second version of each of its rows, so a lease rewrites the
row in place and no index at all. Leased rows are passed over, at the head of what is due: there are no more of them
than workers have places.';
create index delivery_queue_due on gate.delivery_queue (mode, lane, due_at, id);
create index delivery_queue_fair on gate.delivery_queue (lane, endpoint, due_at, id);
comment on index gate.delivery_queue_fair is
  'Begins with what only it has: beginning with the mode, the index of what is due would look just as good to the
planner.';

create table gate.endpoint_health (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  consecutive_failures int not null,
  last_success_at bigint,
  last_failure_at bigint,
  last_error text,
  primary key (partner_id, mode)
) with (fillfactor = 50);
comment on table gate.endpoint_health is
  'How attempts at webhook endpoints go. While all goes well a success is noted once a minute, so recording an attempt
mostly reads here and writes nothing.';

create table gate.tasks (
  id text collate "C" primary key,
  mode text collate "C" not null,
  free_at bigint,
  lease_token text,
  lease_until bigint,
  claims int not null,
  done_at bigint,
  row json not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
comment on column gate.tasks.free_at is 'When it is free to take; null when it is done or parked.';
create index tasks_due on gate.tasks (mode, free_at, id) where free_at is not null;
create index tasks_done on gate.tasks (mode, done_at) where done_at is not null;
create index tasks_parked on gate.tasks (mode, id) where free_at is null and done_at is null;
comment on index gate.tasks_parked is 'Few are parked, among many that were done; operators list them.';

create table gate.counters (name text collate "C" primary key, value numeric not null) with (fillfactor = 50);

create table gate.partners (id text collate "C" primary key, row json not null);
create table gate.api_keys (
  hash text collate "C" primary key,
  partner_id text collate "C" not null,
  row json not null,
  last_used_at bigint
);
comment on column gate.api_keys.last_used_at is
  'Apart from the row: saving a key writes the row as a whole, and must not undo what another process has noted
meanwhile.';
create index api_keys_of_partner on gate.api_keys (partner_id);

create table gate.endpoints (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  url text,
  row json not null,
  primary key (partner_id, mode)
);

create table gate.sandbox_operations (
  operation_id text collate "C" primary key,
  version int not null,
  operation json not null,
  ended_at bigint
);
comment on table gate.sandbox_operations is 'The books of the sandbox provider.';
comment on column gate.sandbox_operations.ended_at is 'When the operation came to rest; null: it has not.';
create index sandbox_operations_ended on gate.sandbox_operations ((operation->>'mode'), ended_at) where ended_at is not null;

create table gate.kyc_packages (
  session_id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  forget_by bigint not null,
  sealed text not null
);
comment on table gate.kyc_packages is 'Packages of sessions that are open, each sealed under a master key together with its session.';
create index kyc_packages_to_forget on gate.kyc_packages (mode, forget_by);

create table gate.settings (name text collate "C" primary key, value text not null);

create table gate.consumers (
  name text collate "C" not null,
  type text collate "C" not null,
  is_removed boolean not null default false,
  version bigint not null,
  primary key (name, type)
);
comment on table gate.consumers is
  'In-process consumers, by name. Rows are never deleted, so the greatest version tells whether anything has changed.';
create index consumers_version on gate.consumers (version);

create table gate.leg_documents (
  kind text collate "C" not null,
  id text collate "C" not null,
  version int not null,
  status text collate "C" not null,
  due_at bigint,
  body json not null,
  primary key (kind, id)
);
comment on table gate.leg_documents is 'What provider legs keep: operations, quotes, nonces and signed transactions.';
comment on column gate.leg_documents.due_at is 'When it wants to be worked on; null for never.';
create index leg_documents_due on gate.leg_documents (kind, due_at, id) where due_at is not null;
create index leg_documents_of_status on gate.leg_documents (kind, status, id);

create table gate.leg_entries (
  id text collate "C" primary key,
  operation_id text collate "C" not null,
  at bigint not null,
  postings json not null
);
comment on table gate.leg_entries is 'Movements of money of provider legs, double entry.';
create index leg_entries_of_operation on gate.leg_entries (operation_id, at, id);
