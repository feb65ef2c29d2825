create table gate.api_keys (
  hash text collate "C" not null,
  partner_id text collate "C" not null,
  row json not null,
  -- Apart from the row: saving a key writes the row as a whole, and must not undo what another process has noted
  -- meanwhile.
  last_used_at bigint,
  primary key (hash)
);

create index api_keys_of_partner on gate.api_keys
  (partner_id);
