/**
 * In-process consumers, by name. Rows are never deleted, so the greatest version tells whether anything has changed; the lock lets no two
 * changes take the same one. Each consumer has lanes of the queue of its own: what is looked at next is told by lane.
 */
export const consumers = `
create table gate.consumers (
  name text collate "C" not null,
  type text collate "C" not null,
  is_removed boolean not null default false,
  version bigint not null,
  primary key (name, type)
);
create index consumers_version on gate.consumers (version);

create function gate.register_consumers(p_consumers json) returns void language plpgsql as $$
begin
  -- The usual start finds everything there: it neither waits nor writes.
  if not exists (
    select from json_to_recordset(p_consumers) as w(name text, type text)
    where not exists (select from gate.consumers c where c.name = w.name and c.type = w.type and not c.is_removed)) then return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('gate.consumers', 0));
  insert into gate.consumers as c (name, type, version)
    select w.name, w.type, (select coalesce(max(version), 0) + 1 from gate.consumers)
    from json_to_recordset(p_consumers) as w(name text, type text)
    on conflict (name, type) do update set is_removed = false, version = excluded.version where c.is_removed;
end $$;

create function gate.remove_consumer(p_name text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('gate.consumers', 0));
  update gate.consumers set is_removed = true, version = (select coalesce(max(version), 0) + 1 from gate.consumers)
    where name = p_name and not is_removed;
end $$;

-- The lanes that have anything in them, found without reading what that is.
create function gate.lanes_of(p_mode text) returns setof text language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
as $$
  with recursive lanes(lane) as (
      (select lane from gate.delivery_queue where mode = p_mode order by lane limit 1)
    union all
      select n.lane from lanes p
      cross join lateral (select lane from gate.delivery_queue where mode = p_mode and lane > p.lane order by lane limit 1) n)
  select lane from lanes;
$$;

-- The heads of the indexes, whatever lies behind them. Processes of the version before go on calling the one that takes a mode alone.
create function gate.next_due(p_mode text, p_lanes text[], p_tasks boolean) returns table (kind text, id text, free_at bigint) language sql stable
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off set jit = off
as $$
  select * from (
      select 'delivery', q.id, q.free_at from unnest(p_lanes) as l(lane)
      cross join lateral (
        select id, free_at from gate.delivery_queue where mode = p_mode and lane = l.lane order by free_at, id limit 1) q
      union all
      (select 'task', id, free_at from gate.tasks where p_tasks and mode = p_mode and free_at is not null order by free_at, id limit 1)
    ) as heads (kind, id, free_at)
    order by free_at, id limit 1;
$$;
`;
