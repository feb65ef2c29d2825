-- The beginning of the first id that is made at an instant. Before all ids if it was in 1970, after all of them if it
-- never comes.
create function gate.id_at(
  instant bigint
) returns text
language sql immutable parallel safe
as $$
  select case when instant <= 0 then '' when instant > 281474976710655 then '~' else lpad(to_hex(instant), 12, '0') end
$$;
