-- "POSIX" is the order of "C" under another name: whoever looks for what is old walks this index, and nobody who looks a
-- delivery up by its key can, as plans that are kept may not read more the more there is. While it is built deliveries
-- are read but not written. The index that it replaces goes with the next migration: in this one nobody could read.
create index deliveries_by_creation on gate.deliveries (mode collate "POSIX", created_at);
comment on index gate.deliveries_by_creation is
  'Deliveries end soon after they were made, so this order serves to find those that ended long ago.';
