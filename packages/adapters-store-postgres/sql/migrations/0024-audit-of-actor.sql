-- By the id of the actor.
create index concurrently audit_entries_of_actor on gate.audit_entries ((row #>> '{actor,id}') collate "C", sequence);
