create index concurrently tasks_failed on gate.tasks (mode, id) where free_at is not null and (row ->> 'failures')::int > 0;
