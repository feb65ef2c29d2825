-- What a list is filtered by stands in the index that it is walked along, behind the id: of rows that do not fit only the index is read, which
-- is thirty times as quick as reading a column out of a row. An index of few rows (a session's, an event's) has no need of it.

drop index sessions_listed;
drop index sessions_by_status;
drop index sessions_of_user;
create index sessions_listed on sessions (partner_id, mode, id, flow, currency, created_at);
create index sessions_by_status on sessions
  (partner_id, mode, status, id, flow, currency, held_since, expires_at, created_at);
create index sessions_of_user on sessions
  (partner_id, mode, user_reference, id, status, flow, currency, held_since, expires_at, created_at)
  where user_reference is not null;

drop index transactions_listed;
drop index transactions_by_status;
drop index transactions_of_user;
create index transactions_listed on transactions (partner_id, mode, id, flow, created_at);
create index transactions_by_status on transactions (partner_id, mode, status, id, flow, created_at);
create index transactions_of_user on transactions (partner_id, mode, user_reference, id, status, flow, created_at)
  where user_reference is not null;

drop index deliveries_listed;
drop index deliveries_by_status;
create index deliveries_listed on deliveries (partner_id, mode, id, target, event_type, created_at);
create index deliveries_by_status on deliveries (partner_id, mode, status, id, target, event_type, created_at);
