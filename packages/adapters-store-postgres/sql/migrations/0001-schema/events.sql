-- Events, the order in which lists show them, and what partitions by month add.

create table gate.events (
  id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  session_id text collate "C",
  sequence int,
  type text collate "C" not null,
  created_at bigint not null,
  body text not null
);
comment on column gate.events.body is 'The exact bytes that every attempt sends; never parsed.';
create unique index events_of_session on gate.events (session_id, sequence) where session_id is not null;
create index events_listed on gate.events (partner_id, mode, type, created_at, (coalesce(sequence, 0)), id);
comment on index gate.events_listed is
  'Ids of events are random, so they are listed in the order of creation, and events of one instant in that of their session.';

-- A list of events shows an event only once none can still appear before it. An event is decided before it is committed, so a list
-- records the time up to which it wants to show, and waits for the commits that may not have seen it; later ones put their events after
-- that time. A running commit holds an advisory lock of its partner and mode until it ends. The lock is always shared: no commit waits
-- for another, or for a list.

create table gate.shown_events (
  partner_id text collate "C",
  mode text collate "C",
  until bigint not null,
  settled bigint not null default -1,
  primary key (partner_id, mode)
);
comment on column gate.shown_events.until is
  'The time up to which events are to be shown. Commits that begin later put their events after it.';
comment on column gate.shown_events.settled is 'The time up to which no event can appear any more.';

create function gate.place_key(p_partner text, p_mode text) returns bigint language sql immutable as $$
  select hashtextextended('gate.events/' || p_partner || '/' || p_mode, 0)
$$;
comment on function gate.place_key is
  'The advisory lock of the commits that write events of a partner and mode. It contains the name of the schema, so that two
installations in one database do not wait for each other.';

create function gate.hold_places(p_partner text[], p_mode text[]) returns void language sql volatile as $$
  select pg_advisory_xact_lock_shared(gate.place_key(w.partner, w.mode))
  from (select distinct partner, mode from unnest(p_partner, p_mode) as g(partner, mode)) w
$$;
comment on function gate.hold_places is
  'Shows lists that this transaction may write events. Whatever it reads afterwards includes what a list recorded before.';

create function gate.placed_events(p_events json) returns json language plpgsql volatile
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off set jit = off
set plan_cache_mode = force_generic_plan
as $$
begin
  if p_events is null then return null; end if;
  perform gate.hold_places(array_agg(w."partnerId"), array_agg(w.mode)) from json_to_recordset(p_events) as w("partnerId" text, mode text);
  if not exists (
    select from json_to_recordset(p_events) as w("partnerId" text, mode text, "createdAt" bigint)
      join gate.shown_events s on s.partner_id = w."partnerId" and s.mode = w.mode where w."createdAt" <= s.until) then
    return p_events;
  end if;
  return (
    select json_agg(case when s.until >= (e.value ->> 'createdAt')::bigint
      then e.value::jsonb || jsonb_build_object('createdAt', s.until + 1) else e.value::jsonb end)
    from json_array_elements(p_events) e
      left join gate.shown_events s on s.partner_id = e.value ->> 'partnerId' and s.mode = e.value ->> 'mode');
end $$;
comment on function gate.placed_events is
  'The events of a commit, where those that were decided before an event that was shown are dated after it.';

create function gate.show_events(p_partner text, p_mode text, p_until bigint) returns bigint language sql volatile as $$
  insert into gate.shown_events as s (partner_id, mode, until) values (p_partner, p_mode, p_until)
  on conflict (partner_id, mode) do update set until = greatest(s.until, excluded.until)
  returning settled
$$;
comment on function gate.show_events is
  'Records the time up to which a list wants to show events, and returns the time up to which it can do so at once.';

create function gate.running_commits(p_partner text, p_mode text) returns text[] language sql volatile as $$
  select coalesce(array_agg(l.virtualtransaction), '{}') from pg_locks l
  where l.locktype = 'advisory' and l.objsubid = 1 and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = gate.place_key(p_partner, p_mode)
$$;
comment on function gate.running_commits is
  'The transactions that may write events of a partner and mode, by their names in `pg_locks`.';

-- Only for tables that are partitioned by month. Without partitions the table is empty and no trigger calls these functions.

create table gate.event_keys (
  id text collate "C" primary key,
  session_id text collate "C",
  sequence int,
  created_at bigint not null
);
comment on table gate.event_keys is
  'The keys of all events while they are partitioned by creation: a unique index covers one partition only. Rows stay when a month is
dropped, so that an event is refused a second time, whatever month it arrives in.';
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
  'A trigger of the empty partition that replaces dropped months: a new row for it repeats one that was there, and is refused like an
existing one.';
