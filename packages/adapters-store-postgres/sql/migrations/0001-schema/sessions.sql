-- Sessions, intents, transactions, documents, and what keeps a request from being applied twice.
--
-- Primary keys begin with partner and mode and end with an id that begins with the time: pages follow them, and a table can be
-- distributed by the partner, or partitioned by ranges of the id.

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
comment on column gate.idempotency_keys.written_by is 'claim or seal: the kind of write that set the current values.';
create index idempotency_keys_expiring on gate.idempotency_keys (mode, expires_at);

create table gate.once_marks (mark text collate "C" primary key);
comment on table gate.once_marks is 'Names that only one commit may use.';

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
create index sessions_held_by_id on gate.sessions (mode, id) where is_held;
comment on index gate.sessions_held_by_id is
  'Few sessions are held at a time: counting them must not read the others, and a list of the first ones must not read the rest.';

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
create index transactions_of_hash on gate.transactions (lower((row ->> 'txHash') collate "C")) where (row ->> 'txHash') is not null;

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
comment on table gate.documents is 'Rows that the store only finds and lists, whatever they contain.';
comment on column gate.documents.body is 'Text, to keep every byte.';
create index documents_of_group on gate.documents (partner_id, mode, noun, group_key, id) where group_key is not null;
create index documents_kept_until on gate.documents (mode, keep_until) where keep_until is not null;

create table gate.counters (name text collate "C" primary key, value numeric not null) with (fillfactor = 50);

-- Lists with filters read little more than their page. The *kind* of a row is everything that a list may be filtered by except the
-- time. The rows of one kind are consecutive in an index, in the order of their ids, and a list merges the kinds that match; there are
-- few of them. One index of kinds replaces two by status, with and without a user, so a create writes fewer index entries.
--
-- "POSIX" is the order of "C" under another name. The primary key lacks it, so the planner cannot choose that index instead, which
-- looks just as good while the table is empty.

create function gate.open_span(id text, expires_at bigint, is_held boolean) returns bigint
language sql immutable parallel safe as $$
  select case when is_held or id !~ '^[0-9a-f]{12}' then 1000000000000
    else ceil((expires_at - ('x' || left(id, 12))::bit(48)::bigint) / 1000.0)::bigint end
$$;
comment on function gate.open_span is
  'The lifetime of a session in seconds, rounded up. A list is in the order of ids, which begin with the time of creation; among
sessions of one lifetime, the expired ones precede the others. There are about as many lifetimes as session lengths in use. Sessions
that are held, or whose id does not begin with a time, have an endless one.';

create function gate.list_span(status text, id text, expires_at bigint, is_held boolean) returns bigint
language sql immutable parallel safe as $$
  select case when status = 'open' then gate.open_span(id, expires_at, is_held) else 0 end
$$;
comment on function gate.list_span is 'The lifetime matters only while a session is open; all others are in one group.';

create function gate.id_at(instant bigint) returns text
language sql immutable parallel safe as $$
  select case when instant <= 0 then '' when instant > 281474976710655 then '~' else lpad(to_hex(instant), 12, '0') end
$$;
comment on function gate.id_at is
  'The start of the first id of an instant: before all ids up to 1970, and after all of them if the instant is out of range.';

create index sessions_listed on gate.sessions (
  partner_id collate "POSIX", mode, status, (coalesce(flow, '')), currency,
  gate.list_span(status, id, expires_at, is_held), id);
create index sessions_of_user_listed on gate.sessions (
  partner_id collate "POSIX", mode, user_reference, status, (coalesce(flow, '')), currency,
  gate.list_span(status, id, expires_at, is_held), id)
  where user_reference is not null;
create index transactions_listed on gate.transactions (partner_id collate "POSIX", mode, status, flow, id);
create index transactions_of_user_listed on gate.transactions (partner_id collate "POSIX", mode, user_reference, status, flow, id)
  where user_reference is not null;
