-- For a transaction that is not ours: a conflict undoes only this call and is answered instead of raised.
create function gate.commit_changes_quietly(
  p_keys json,
  p_marks json,
  p_sessions json,
  p_intents json,
  p_transactions json,
  p_moved_sessions json,
  p_moved_intents json,
  p_moved_transactions json,
  p_documents json,
  p_moved_documents json,
  p_endpoints json,
  p_replays json,
  p_events json,
  p_deliveries json,
  p_borrowed_events json,
  p_tasks json,
  p_finishes json,
  p_counters json
) returns json
language plpgsql
as $$
begin
  return gate.commit_changes(p_keys, p_marks, p_sessions, p_intents, p_transactions, p_moved_sessions, p_moved_intents,
    p_moved_transactions, p_documents, p_moved_documents, p_endpoints, p_replays, p_events, p_deliveries,
    p_borrowed_events, p_tasks, p_finishes, p_counters);
exception
  when sqlstate 'GR001' then return json_build_object('undone', sqlerrm);
  when lock_not_available then return json_build_object('undone', 'stale');
  when deadlock_detected then return json_build_object('undone', 'again');
end $$;
