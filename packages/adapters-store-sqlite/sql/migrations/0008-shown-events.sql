-- The time of the newest event that a list has shown. An event that is committed later gets a place after it, so that a reader who
-- continues there misses nothing.
create table shown_events (
  partner_id text not null,
  mode text not null,
  until integer not null,
  primary key (partner_id, mode)
) strict, without rowid;
