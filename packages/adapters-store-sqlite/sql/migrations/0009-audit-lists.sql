-- The audit trail is listed by action, by noun and by the ids of its actors. Entries of a time are found from the newest on.
alter table audit_entries add column action text as (row ->> 'action');
alter table audit_entries add column noun text as (substr(row ->> 'action', 1, instr((row ->> 'action') || '.', '.') - 1));
alter table audit_entries add column actor_id text as (row ->> '$.actor.id');
alter table audit_entries add column access_id text as (row ->> '$.actor.accessId');
alter table audit_entries add column at integer as (row ->> 'at');
create index audit_entries_of_action on audit_entries (action, sequence);
create index audit_entries_of_noun on audit_entries (noun, sequence);
create index audit_entries_of_actor on audit_entries (actor_id, sequence);
create index audit_entries_of_access on audit_entries (access_id, sequence) where access_id is not null;
