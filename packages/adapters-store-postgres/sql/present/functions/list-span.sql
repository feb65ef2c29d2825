-- Lifetimes matter while a session is open; what is closed is all of one.
create function gate.list_span(
  status text,
  id text,
  expires_at bigint,
  is_held boolean
) returns bigint
language sql immutable parallel safe
as $$
  select case when status = 'open' then gate.open_span(id, expires_at, is_held) else 0 end
$$;
