-- All actions of a noun, such as `key`.
create index concurrently audit_entries_of_noun on gate.audit_entries ((split_part(row ->> 'action', '.', 1)) collate "C", sequence);
