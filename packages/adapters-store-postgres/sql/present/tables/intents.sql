create table gate.intents (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  provider text collate "C" not null,
  operation_id text collate "C" not null,
  row json not null,
  primary key (partner_id, mode, id)
);

create index intents_by_operation on gate.intents
  (operation_id, provider, mode);
