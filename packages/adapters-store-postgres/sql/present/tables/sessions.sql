create table gate.sessions (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
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

-- Few are held at any moment; whoever counts them must not read the others.
create index sessions_held on gate.sessions
  (mode)
  where is_held;

create index sessions_listed on gate.sessions
  (partner_id collate "POSIX", mode, status, COALESCE(flow, ''::text), currency, gate.list_span(status, id, expires_at, is_held), id);

create index sessions_of_user_listed on gate.sessions
  (partner_id collate "POSIX", mode, user_reference, status, COALESCE(flow, ''::text), currency, gate.list_span(status, id, expires_at, is_held), id)
  where (user_reference IS NOT NULL);
