-- In-process consumers, by name. Rows are never deleted, so the greatest version tells whether anything has changed.
create table gate.consumers (
  name text collate "C" not null,
  type text collate "C" not null,
  is_removed boolean not null default false,
  version bigint not null,
  primary key (name, type)
);

create index consumers_version on gate.consumers
  (version);
