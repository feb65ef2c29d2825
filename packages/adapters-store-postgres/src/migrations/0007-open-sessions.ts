/**
 * Open sessions, so ordered that a page passes over those nobody has expired yet without reading them. A list is in the order of ids, and an
 * id begins with its time; among sessions that end equally long after that time, those that are over and those that are not lie on the two
 * sides of one id. So they are grouped by this span, in whole seconds: there are about as many groups as there were session lifetimes.
 *
 * A span without end has what is held, and what has an id that does not begin with a time.
 *
 * "POSIX" is the order of "C" under another name. The index of the primary key is not in it, so the planner, which takes that one for just as
 * good while it knows nothing of the table, cannot walk it instead.
 */
export const openSessions = `
create function gate.open_span(id text, expires_at bigint, is_held boolean) returns bigint language sql immutable parallel safe as $$
  select case when is_held or id !~ '^[0-9a-f]{12}' then 1000000000000
    else ceil((expires_at - ('x' || left(id, 12))::bit(48)::bigint) / 1000.0)::bigint end
$$;

-- The beginning of the first id that is made at an instant. Before all ids if it was in 1970, after all of them if it never comes.
create function gate.id_at(instant bigint) returns text language sql immutable parallel safe as $$
  select case when instant <= 0 then '' when instant > 281474976710655 then '~' else lpad(to_hex(instant), 12, '0') end
$$;

create index sessions_open on gate.sessions (partner_id, mode, gate.open_span(id, expires_at, is_held), id collate "POSIX")
  where status = 'open';
`;
