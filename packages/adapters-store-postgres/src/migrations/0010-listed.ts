/**
 * Lists filtered by anything read little more than their page. A row's *kind* is all that a list may be filtered by but its time: each kind
 * is walked along its own stretch of one index, in the order of ids. There are few kinds, whatever there is of each.
 *
 * One index of kinds takes the places of two for statuses, and so with a user's: a create writes as many index entries as before.
 *
 * "POSIX" is the order of "C" under another name. The primary key is not in it, so the planner, which takes that index for just as good while
 * it knows nothing of the table, cannot walk it instead.
 *
 * Writes to the two tables wait while their indexes are built. A large database may have the function and the indexes made beforehand, those
 * concurrently; then they are found here (docs/operating.md). One that was left half built would stay so, so it stops the migration.
 */
export const listed = `
-- Lifetimes matter while a session is open; what is closed is all of one.
create or replace function gate.list_span(status text, id text, expires_at bigint, is_held boolean) returns bigint language sql immutable parallel safe as $$
  select case when status = 'open' then gate.open_span(id, expires_at, is_held) else 0 end
$$;

create index if not exists sessions_listed on gate.sessions (partner_id collate "POSIX", mode, status, (coalesce(flow, '')), currency,
  gate.list_span(status, id, expires_at, is_held), id);
create index if not exists sessions_of_user_listed on gate.sessions (partner_id collate "POSIX", mode, user_reference, status, (coalesce(flow, '')), currency,
  gate.list_span(status, id, expires_at, is_held), id) where user_reference is not null;
do $$ begin
  if exists (select from pg_index where not indisvalid and indrelid in ('gate.sessions'::regclass, 'gate.transactions'::regclass)) then
    raise exception 'An index of sessions or transactions was left half built; drop it and build it again.';
  end if;
end $$;
drop index gate.sessions_open;
drop index gate.sessions_closed;
drop index gate.sessions_of_user;

create index if not exists transactions_listed on gate.transactions (partner_id collate "POSIX", mode, status, flow, id);
create index if not exists transactions_of_user_listed on gate.transactions (partner_id collate "POSIX", mode, user_reference, status, flow, id)
  where user_reference is not null;
drop index gate.transactions_by_status;
drop index gate.transactions_of_user;
-- An id begins with its time.
drop index gate.transactions_by_time;
`;
