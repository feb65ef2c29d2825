create table gate.partners (
  id text collate "C" not null,
  row json not null,
  primary key (id)
);
