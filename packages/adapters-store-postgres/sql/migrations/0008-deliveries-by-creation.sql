-- "POSIX" is the order of "C" under another name: a search for old deliveries uses this index, and a look-up by key cannot, because a kept
-- plan must not read more as the table grows. One statement, because an index is built concurrently outside of a transaction only.
create index concurrently deliveries_by_creation on gate.deliveries (mode collate "POSIX", created_at);
