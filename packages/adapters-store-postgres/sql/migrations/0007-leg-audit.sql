-- One change of provider legs with its audit entries, all or nothing. The end of the trail is locked last, as in `commit_audited`.

create function gate.commit_legs_audited(p_documents json, p_entries json, p_audit json) returns boolean language plpgsql as $$
begin
  if not gate.commit_legs(p_documents, p_entries) then return false; end if;
  if not gate.append_audit(p_audit) then raise sqlstate 'GR001' using message = 'stale'; end if;
  return true;
exception when sqlstate 'GR001' or lock_not_available or deadlock_detected then return false;
end $$;
