create table gate.transactions (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  session_id text collate "C",
  status text collate "C" not null,
  flow text collate "C" not null,
  user_reference text collate "C",
  created_at bigint not null,
  row json not null,
  primary key (partner_id, mode, id)
);

create index transactions_listed on gate.transactions
  (partner_id collate "POSIX", mode, status, flow, id);

create index transactions_of_session on gate.transactions
  (session_id)
  where (session_id IS NOT NULL);

create index transactions_of_user_listed on gate.transactions
  (partner_id collate "POSIX", mode, user_reference, status, flow, id)
  where (user_reference IS NOT NULL);
