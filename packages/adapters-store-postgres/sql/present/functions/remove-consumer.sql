create function gate.remove_consumer(
  p_name text
) returns void
language plpgsql
as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('gate.consumers', 0));
  update gate.consumers set is_removed = true, version = (select coalesce(max(version), 0) + 1 from gate.consumers)
    where name = p_name and not is_removed;
end $$;
