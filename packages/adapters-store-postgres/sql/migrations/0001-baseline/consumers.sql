-- Each consumer has lanes of the queue of its own: what is looked at next is told by lane. The lock lets no two changes
-- of a registration take the same version.

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
