-- Writes documents and ledger entries of provider legs, all of them or none. False: a document is not at the version that was read, or an
-- entry exists. What had been written by then is undone with the block.

create function gate.commit_legs(p_documents json, p_entries json) returns boolean language plpgsql as $$
declare
  v_written int;
begin
  with given as materialized (
      select * from json_to_recordset(p_documents) as w(kind text, id text, version int, status text, due_at bigint, body json)),
    added as (
      insert into gate.leg_documents (kind, id, version, status, due_at, body)
      select kind, id, version, status, due_at, body from given where version = 1 order by kind, id
      on conflict do nothing returning 1),
    replaced as (
      update gate.leg_documents d set version = g.version, status = g.status, due_at = g.due_at, body = g.body
      from given g where g.version > 1 and d.kind = g.kind and d.id = g.id and d.version = g.version - 1 returning 1),
    booked as (
      insert into gate.leg_entries (id, operation_id, at, postings)
      select id, operation_id, at, postings
      from json_to_recordset(p_entries) as e(id text, operation_id text, at bigint, postings json)
      on conflict do nothing returning 1)
    select (select count(*) from added) + (select count(*) from replaced) + (select count(*) from booked) into v_written;
  if v_written < json_array_length(p_documents) + json_array_length(p_entries) then
    raise exception using errcode = 'GATE1', message = 'stale';
  end if;
  return true;
exception when sqlstate 'GATE1' then return false;
end $$;
