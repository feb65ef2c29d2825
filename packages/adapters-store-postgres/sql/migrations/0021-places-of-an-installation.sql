-- The lock of the commits of a partner and mode names the schema, so that installations in one database do not wait for each other.

create or replace function gate.place_key(p_partner text, p_mode text) returns bigint language sql immutable as $$
  select hashtextextended('gate.events/' || p_partner || '/' || p_mode, 0)
$$;
