-- Each document is looked up by its key. A join with all given documents was planned for a hundred of them, and then read the whole table.

create or replace function gate.commit_legs(p_documents json, p_entries json) returns boolean language plpgsql as $$
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
