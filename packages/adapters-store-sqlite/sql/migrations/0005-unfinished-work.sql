-- Operators list the first stuck tasks and held sessions without reading the others.

create index tasks_failed on tasks (mode, id) where free_at is not null and row ->> 'failures' > 0;
create index sessions_held_by_id on sessions (mode, id) where held_since is not null;
drop index sessions_held;
