-- What partitions of the large tables need beyond themselves. Without partitions nothing here is used, and the table is empty.

create table gate.event_keys (
  id text collate "C" primary key,
  session_id text collate "C",
  sequence int,
  created_at bigint not null
);
comment on table gate.event_keys is
  'The keys of all events while events are partitioned by creation: a unique index covers one partition only. Rows stay when a month is
dropped, so that an event is refused a second time in whatever month it comes.';
create unique index event_keys_of_session on gate.event_keys (session_id, sequence) where session_id is not null;

create function gate.keep_event_keys() returns trigger language plpgsql as $$
declare
  missing int;
begin
  with kept as (
      insert into gate.event_keys (id, session_id, sequence, created_at)
      select id, session_id, sequence, created_at from added on conflict do nothing returning 1)
    select (select count(*) from added) - (select count(*) from kept) into missing;
  if missing > 0 then raise sqlstate 'GR001' using message = 'stale'; end if;
  return null;
end $$;
comment on function gate.keep_event_keys() is 'A trigger of partitioned events, after each insert. The new rows are called `added`.';

create function gate.refuse_dropped() returns trigger language plpgsql as $$
begin
  raise sqlstate 'GR001' using message = 'stale';
end $$;
comment on function gate.refuse_dropped() is
  'A trigger of the empty partition that covers dropped months: a row that would come there is a replay, and is refused as one that exists.';
