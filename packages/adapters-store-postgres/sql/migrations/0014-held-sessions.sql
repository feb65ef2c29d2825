-- In the order of creation, so that the first ones are read without the others.
create index concurrently sessions_held_by_id on gate.sessions (mode, id) where is_held;
