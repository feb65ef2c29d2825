create index concurrently tasks_of_sandbox on gate.tasks ((row ->> 'partnerId'), free_at, id)
  where mode = 'test' and free_at is not null;
