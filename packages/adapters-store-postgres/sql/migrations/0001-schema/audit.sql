-- The audit trail. Its newest entry is recorded in the setting `audit_head`.

create table gate.audit_entries (
  sequence bigint primary key,
  partner_id text collate "C",
  request_id text collate "C",
  row json not null
);
create index audit_entries_of_request on gate.audit_entries (request_id, sequence) where request_id is not null;
create index audit_entries_of_partner on gate.audit_entries (partner_id, sequence) where partner_id is not null;
create index audit_entries_of_action on gate.audit_entries ((row ->> 'action') collate "C", sequence);
create index audit_entries_of_noun on gate.audit_entries ((split_part(row ->> 'action', '.', 1)) collate "C", sequence);
comment on index gate.audit_entries_of_noun is 'All actions of a noun, such as `key`.';
create index audit_entries_of_actor on gate.audit_entries ((row #>> '{actor,id}') collate "C", sequence);
create index audit_entries_of_access on gate.audit_entries ((row #>> '{actor,accessId}') collate "C", sequence) where row #>> '{actor,accessId}' is not null;
comment on index gate.audit_entries_of_access is 'By the access through which the actor acted.';
create index audit_entries_by_time on gate.audit_entries (((row ->> 'at')::bigint), sequence);

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
comment on function gate.append_audit is
  'Adds entries to the end of the trail. Returns false if the trail no longer ends where the entries continue it. Null has no entries
and always fits.';
