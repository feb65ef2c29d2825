-- Replaced by deliveries_by_creation.
drop index concurrently if exists gate.deliveries_by_age;
