-- Replaced by `sessions_held_by_id`, which has the same rows.
drop index concurrently gate.sessions_held;
