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

create index idempotency_keys_expiring on gate.idempotency_keys
  (mode, expires_at);
