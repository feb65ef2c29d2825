-- Ordered by creation, so that a list of the first held sessions does not read the others.
create index concurrently sessions_held_by_id on gate.sessions (mode, id) where is_held;
