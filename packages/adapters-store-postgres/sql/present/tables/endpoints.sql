create table gate.endpoints (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  url text,
  row json not null,
  primary key (partner_id, mode)
);
