-- Provider legs: their documents and their ledger.

create table gate.leg_documents (
  kind text collate "C" not null,
  id text collate "C" not null,
  version int not null,
  status text collate "C" not null,
  due_at bigint,
  body json not null,
  primary key (kind, id)
);
comment on table gate.leg_documents is 'What provider legs keep: operations, quotes, nonces and signed transactions.';
comment on column gate.leg_documents.due_at is 'When a worker may take it; null for never.';
create index leg_documents_due on gate.leg_documents (kind, due_at, id) where due_at is not null;
create index leg_documents_of_status on gate.leg_documents (kind, status, id);
create index leg_documents_of_partner on gate.leg_documents (kind, (body ->> 'partnerId'), due_at, id) where due_at is not null;
comment on index gate.leg_documents_of_partner is
  'A sandbox can have its own time, so documents of its operations are claimed by partner.';

create table gate.leg_entries (
  id text collate "C" primary key,
  operation_id text collate "C" not null,
  at bigint not null,
  postings json not null
);
comment on table gate.leg_entries is 'Movements of money of provider legs, as double entries.';
create index leg_entries_of_operation on gate.leg_entries (operation_id, at, id);
create index leg_entries_by_time on gate.leg_entries (at, id);
comment on index gate.leg_entries_by_time is 'For exports of the ledger by period.';

-- Each document is looked up by its key. A join with all given documents was planned for a hundred of them, and then read the whole
-- table.
create function gate.commit_legs(p_documents json, p_entries json) returns boolean language plpgsql as $$
declare
  v_given record;
begin
  for v_given in
    select * from json_to_recordset(p_documents) as w(kind text, id text, version int, status text, due_at bigint, body json)
    order by kind, id
  loop
    if v_given.version = 1 then
      insert into gate.leg_documents (kind, id, version, status, due_at, body)
      values (v_given.kind, v_given.id, 1, v_given.status, v_given.due_at, v_given.body)
      on conflict do nothing;
    else
      update gate.leg_documents
      set version = v_given.version, status = v_given.status, due_at = v_given.due_at, body = v_given.body
      where kind = v_given.kind and id = v_given.id and version = v_given.version - 1;
    end if;
    if not found then raise exception using errcode = 'GATE1', message = 'stale'; end if;
  end loop;
  for v_given in
    select * from json_to_recordset(p_entries) as e(id text, operation_id text, at bigint, postings json) order by id
  loop
    insert into gate.leg_entries (id, operation_id, at, postings)
    values (v_given.id, v_given.operation_id, v_given.at, v_given.postings)
    on conflict do nothing;
    if not found then raise exception using errcode = 'GATE1', message = 'stale'; end if;
  end loop;
  return true;
exception when sqlstate 'GATE1' then return false;
end $$;
comment on function gate.commit_legs is
  'Writes documents and ledger entries, all of them or none. Returns false if a document is not at the version that was read, or an
entry exists; the exception has then undone what was written.';

create function gate.commit_legs_audited(p_documents json, p_entries json, p_audit json) returns boolean language plpgsql as $$
begin
  if not gate.commit_legs(p_documents, p_entries) then return false; end if;
  if not gate.append_audit(p_audit) then raise sqlstate 'GR001' using message = 'stale'; end if;
  return true;
exception when sqlstate 'GR001' or lock_not_available or deadlock_detected then return false;
end $$;
comment on function gate.commit_legs_audited is
  'As commit_legs, with audit entries. The end of the trail is locked last, as in commit_audited.';
