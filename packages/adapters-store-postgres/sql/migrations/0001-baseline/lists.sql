-- Lists filtered by anything read little more than their page. A row's *kind* is all that a list may be filtered by but
-- its time: each kind is walked along its own stretch of one index, in the order of ids. There are few kinds, whatever
-- there is of each.
--
-- One index of kinds takes the places of two for statuses, and so with a user's: a create writes few index entries.
--
-- "POSIX" is the order of "C" under another name. The primary key is not in it, so the planner, which takes that index
-- for just as good while it knows nothing of the table, cannot walk it instead.

create function gate.open_span(id text, expires_at bigint, is_held boolean) returns bigint
language sql immutable parallel safe as $$
  select case when is_held or id !~ '^[0-9a-f]{12}' then 1000000000000
    else ceil((expires_at - ('x' || left(id, 12))::bit(48)::bigint) / 1000.0)::bigint end
$$;
comment on function gate.open_span is
  'A list is in the order of ids, and an id begins with its time; among sessions that end equally long after that time,
those that are over and those that are not lie on the two sides of one id. So they are grouped by this span, in whole
seconds: there are about as many groups as there were session lifetimes. A span without end has what is held, and
what has an id that does not begin with a time.';

create function gate.list_span(status text, id text, expires_at bigint, is_held boolean) returns bigint
language sql immutable parallel safe as $$
  select case when status = 'open' then gate.open_span(id, expires_at, is_held) else 0 end
$$;
comment on function gate.list_span is 'Lifetimes matter while a session is open; what is closed is all of one.';

create function gate.id_at(instant bigint) returns text
language sql immutable parallel safe as $$
  select case when instant <= 0 then '' when instant > 281474976710655 then '~' else lpad(to_hex(instant), 12, '0') end
$$;
comment on function gate.id_at is
  'The beginning of the first id that is made at an instant. Before all ids if it was in 1970, after all of them if it
never comes.';

create index sessions_listed on gate.sessions (
  partner_id collate "POSIX", mode, status, (coalesce(flow, '')), currency,
  gate.list_span(status, id, expires_at, is_held), id);
create index sessions_of_user_listed on gate.sessions (
  partner_id collate "POSIX", mode, user_reference, status, (coalesce(flow, '')), currency,
  gate.list_span(status, id, expires_at, is_held), id)
  where user_reference is not null;
create index transactions_listed on gate.transactions (partner_id collate "POSIX", mode, status, flow, id);
create index transactions_of_user_listed on gate.transactions (partner_id collate "POSIX", mode, user_reference, status, flow, id)
  where user_reference is not null;

create index deliveries_listed on gate.deliveries (partner_id collate "POSIX", mode, kind, event_type, id) where kind is not null;

create index events_listed on gate.events (partner_id, mode, type, created_at, (coalesce(sequence, 0)), id);
comment on index gate.events_listed is
  'Ids of events are random, so their list is in the order of creation, and within an instant in that of a session.';
