-- The audit trail is listed by action.
create index concurrently audit_entries_of_action on gate.audit_entries ((row ->> 'action') collate "C", sequence);
