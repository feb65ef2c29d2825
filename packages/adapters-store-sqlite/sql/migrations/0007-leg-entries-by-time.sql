-- Books are exported by period.
create index leg_entries_by_time on leg_entries (at, id);
