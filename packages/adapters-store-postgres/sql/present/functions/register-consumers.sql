create function gate.register_consumers(
  p_consumers json
) returns void
language plpgsql
as $$
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
