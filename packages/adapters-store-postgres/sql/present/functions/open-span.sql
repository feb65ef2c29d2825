-- A list is in the order of ids, and an id begins with its time; among sessions that end equally long after that time,
-- those that are over and those that are not lie on the two sides of one id. So they are grouped by this span, in whole
-- seconds: there are about as many groups as there were session lifetimes. A span without end has what is held, and
-- what has an id that does not begin with a time.
create function gate.open_span(
  id text,
  expires_at bigint,
  is_held boolean
) returns bigint
language sql immutable parallel safe
as $$
  select case when is_held or id !~ '^[0-9a-f]{12}' then 1000000000000
    else ceil((expires_at - ('x' || left(id, 12))::bit(48)::bigint) / 1000.0)::bigint end
$$;
