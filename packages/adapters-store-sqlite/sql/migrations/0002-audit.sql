-- The audit trail. Its newest entry is recorded in the setting `audit_head`.
create table audit_entries (
  sequence integer primary key,
  row text not null,
  partner_id text as (row ->> 'partnerId')
) strict;
create index audit_entries_of_partner on audit_entries (partner_id, sequence) where partner_id is not null;
