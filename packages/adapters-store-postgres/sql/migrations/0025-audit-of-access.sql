-- By the access through which the actor acted.
create index concurrently audit_entries_of_access on gate.audit_entries ((row #>> '{actor,accessId}') collate "C", sequence) where row #>> '{actor,accessId}' is not null;
