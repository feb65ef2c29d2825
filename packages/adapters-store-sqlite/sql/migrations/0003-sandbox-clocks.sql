-- A sandbox may have its own time: its tasks are found by their partner.

alter table tasks add column partner_id text as (row ->> 'partnerId');
create index tasks_of_partner on tasks (partner_id, mode, free_at, id) where free_at is not null;
