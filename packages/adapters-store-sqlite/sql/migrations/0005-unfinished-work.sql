-- Operators read the first of what does not advance, without the others.

create index tasks_failed on tasks (mode, id) where free_at is not null and row ->> 'failures' > 0;
create index sessions_held_by_id on sessions (mode, id) where held_since is not null;
drop index sessions_held;
