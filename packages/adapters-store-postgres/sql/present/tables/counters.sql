create table gate.counters (
  name text collate "C" not null,
  value numeric not null,
  primary key (name)
) with (fillfactor = 50);
