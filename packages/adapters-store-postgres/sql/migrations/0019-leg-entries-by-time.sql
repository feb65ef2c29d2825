-- Books are exported by period.
create index concurrently leg_entries_by_time on gate.leg_entries (at, id);
