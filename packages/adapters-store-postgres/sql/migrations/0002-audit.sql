-- The audit trail. Its newest entry is recorded in the setting `audit_head`.

create table gate.audit_entries (
  sequence bigint primary key,
  partner_id text collate "C",
  request_id text collate "C",
  row json not null
);
create index audit_entries_of_request on gate.audit_entries (request_id, sequence) where request_id is not null;
create index audit_entries_of_partner on gate.audit_entries (partner_id, sequence) where partner_id is not null;

-- False: the trail no longer ends where the entries continue it. A null has nothing to add and always fits.
create function gate.append_audit(p_audit json) returns boolean language plpgsql set lock_timeout = '2s' as $$
begin
  if p_audit is null then return true; end if;
  if p_audit ->> 'expectedHead' is null then
    insert into gate.settings (name, value) values ('audit_head', p_audit ->> 'head') on conflict (name) do nothing;
  else
    update gate.settings set value = p_audit ->> 'head' where name = 'audit_head' and value = p_audit ->> 'expectedHead';
  end if;
  if not found then return false; end if;
  insert into gate.audit_entries (sequence, partner_id, request_id, row)
    select (entry ->> 'sequence')::bigint, entry ->> 'partnerId', entry ->> 'requestId', entry from json_array_elements(p_audit -> 'entries') as e(entry);
  return true;
end $$;

-- One change with its audit entries. What conflicts undoes the change and is answered instead of raised. The end of the trail is locked
-- last, so that it is held as shortly as possible.
create function gate.commit_audited(
  p_audit json, p_keys json, p_marks json, p_sessions json, p_intents json, p_transactions json, p_moved_sessions json,
  p_moved_intents json, p_moved_transactions json, p_documents json, p_moved_documents json, p_endpoints json, p_replays json,
  p_events json, p_deliveries json, p_borrowed_events json, p_tasks json, p_finishes json, p_counters json
) returns json language plpgsql as $$
declare
  answer json;
begin
  answer := gate.commit_changes(p_keys, p_marks, p_sessions, p_intents, p_transactions, p_moved_sessions, p_moved_intents,
    p_moved_transactions, p_documents, p_moved_documents, p_endpoints, p_replays, p_events, p_deliveries,
    p_borrowed_events, p_tasks, p_finishes, p_counters);
  if answer is null and not gate.append_audit(p_audit) then raise sqlstate 'GR001' using message = 'stale'; end if;
  return answer;
exception
  when sqlstate 'GR001' then return json_build_object('undone', sqlerrm);
  when lock_not_available then return json_build_object('undone', 'stale');
  when deadlock_detected then return json_build_object('undone', 'again');
end $$;
