-- The audit trail. Its newest entry is recorded in the setting `audit_head`.
create table audit_entries (
  sequence integer primary key,
  row text not null,
  partner_id text as (row ->> 'partnerId'),
  request_id text as (row ->> 'requestId')
) strict;
create index audit_entries_of_partner on audit_entries (partner_id, sequence) where partner_id is not null;
create index audit_entries_of_request on audit_entries (request_id, sequence) where request_id is not null;
