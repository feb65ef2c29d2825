-- By time.
create index concurrently audit_entries_by_time on gate.audit_entries (((row ->> 'at')::bigint), sequence);
