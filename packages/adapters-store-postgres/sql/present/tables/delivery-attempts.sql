create table gate.delivery_attempts (
  delivery_id text collate "C" not null,
  number integer not null,
  row json not null,
  primary key (delivery_id, number)
);
