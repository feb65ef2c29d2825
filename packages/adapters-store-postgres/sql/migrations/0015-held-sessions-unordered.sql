-- `sessions_held_by_id` serves whatever it did.
drop index concurrently gate.sessions_held;
