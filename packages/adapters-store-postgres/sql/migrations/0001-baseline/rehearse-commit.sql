create function gate.rehearse_commit() returns double precision language plpgsql
set jit = off set lock_timeout = '500ms' set temp_tablespaces = '' set work_mem = '64kB'
as $$
begin
  lock table gate.sessions, gate.intents, gate.transactions, gate.documents, gate.events, gate.deliveries, gate.delivery_queue,
    gate.idempotency_keys, gate.once_marks, gate.tasks, gate.counters in row exclusive mode;
  -- More than fits in memory goes to a file, which a full disk refuses as it refuses a table's next page.
  perform g from generate_series(1, 20000) g order by g desc offset 19999;
  insert into gate.settings (name, value) values ('probed', clock_timestamp())
    on conflict (name) do update set value = excluded.value;
  return extract(epoch from clock_timestamp()) * 1000;
end $$;
comment on function gate.rehearse_commit() is
  'Fails where commits fail: a table is locked, the disk is full, or the server only reads. Answers with the time in milliseconds.';
