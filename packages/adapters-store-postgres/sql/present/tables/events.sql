create table gate.events (
  id text collate "C" not null,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  session_id text collate "C",
  sequence integer,
  type text collate "C" not null,
  created_at bigint not null,
  -- Text: frozen bytes, never parsed.
  body text not null,
  primary key (id)
);

-- Ids of events are random, so their list is in the order of creation, and within an instant in that of a session.
create index events_listed on gate.events
  (partner_id, mode, type, created_at, COALESCE(sequence, 0), id);

create unique index events_of_session on gate.events
  (session_id, sequence)
  where (session_id IS NOT NULL);
