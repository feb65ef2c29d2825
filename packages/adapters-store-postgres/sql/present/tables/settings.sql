create table gate.settings (
  name text collate "C" not null,
  value text not null,
  primary key (name)
);
