-- How attempts at webhook endpoints go. While all goes well a success is noted once a minute, so recording an attempt
-- mostly reads here and writes nothing.
create table gate.endpoint_health (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  consecutive_failures integer not null,
  last_success_at bigint,
  last_failure_at bigint,
  last_error text,
  primary key (partner_id, mode)
) with (fillfactor = 50);
