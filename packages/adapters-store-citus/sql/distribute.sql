-- Distributes the tables of an installation over a Citus cluster, by partner. Run it once, on the coordinator, after
-- `GATE_DATABASE_DISTRIBUTED=on gate migrate` (or `migrateCitus`), with every process stopped; see `docs/citus.md`. For a schema other than
-- `gateramp`, replace its name here. It either completes or changes nothing, except for the last statements, which only free disk space.

begin;

do $$
begin
  if (select relkind from pg_class where oid = 'gateramp.sessions'::regclass) = 'p' then
    raise exception 'The tables are partitioned by month. Run "gate partition off" first.';
  end if;
end $$;

-- A unique key has to contain the distribution column. Existing rows name their partner, except for marks of provider events and of sign-ins:
-- those belong to the partner '', where the store looks for marks of every partner.
alter table gateramp.idempotency_keys add column partner_id text collate "C";
update gateramp.idempotency_keys set partner_id = split_part(scope, '/', 1);
alter table gateramp.idempotency_keys
  alter column partner_id set not null,
  drop constraint idempotency_keys_pkey,
  add primary key (partner_id, scope, key_hash);
alter table gateramp.once_marks add column partner_id text collate "C";
update gateramp.once_marks set partner_id =
  case when split_part(mark, '/', 1) in ('quota', 'pool_movement') then split_part(mark, '/', 2) else '' end;
alter table gateramp.once_marks
  alter column partner_id set not null,
  drop constraint once_marks_pkey,
  add primary key (partner_id, mark);
alter table gateramp.counters add column partner_id text collate "C";
update gateramp.counters set partner_id = split_part(name, '/', 2);
alter table gateramp.counters
  alter column partner_id set not null,
  drop constraint counters_pkey,
  add primary key (partner_id, name);
alter table gateramp.tasks add column partner_id text collate "C";
update gateramp.tasks set partner_id = row ->> 'partnerId';
alter table gateramp.tasks
  alter column partner_id set not null,
  drop constraint tasks_pkey,
  add primary key (partner_id, id);
alter table gateramp.events
  drop constraint events_pkey,
  add primary key (partner_id, id);
drop index gateramp.events_of_session;
create unique index events_of_session on gateramp.events (partner_id, session_id, sequence) where session_id is not null;
alter table gateramp.delivery_queue
  drop constraint delivery_queue_pkey,
  add primary key (partner_id, id);

-- Small, read by every request, and changed by operators: each node has all of them.
select create_reference_table('gateramp.partners');
select create_reference_table('gateramp.api_keys');
select create_reference_table('gateramp.consumers');
select create_reference_table('gateramp.settings');
select create_reference_table('gateramp.audit_entries');

-- Indexes use these functions.
select create_distributed_function('gateramp.open_span(text, bigint, boolean)');
select create_distributed_function('gateramp.list_span(text, text, bigint, boolean)');
select create_distributed_function('gateramp.id_at(bigint)');

-- The rows of one partner are on one node, in shards that move together.
select create_distributed_table('gateramp.sessions', 'partner_id', colocate_with => 'none');
select create_distributed_table('gateramp.intents', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.transactions', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.documents', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.events', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.deliveries', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.delivery_queue', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.tasks', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.endpoints', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.endpoint_health', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.idempotency_keys', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.once_marks', 'partner_id', colocate_with => 'gateramp.sessions');
select create_distributed_table('gateramp.counters', 'partner_id', colocate_with => 'gateramp.sessions');

-- A commit runs as a whole on the node of its partner.
select create_distributed_function(
  'gateramp.commit_of_partner(text, bigint, json, json, json, json, json, json, json, json, json, json, json, json, json, json, json, json, json, json)',
  'p_partner', colocate_with => 'gateramp.sessions');

commit;

-- Rows from before the distribution are still in the coordinator's local tables, where no statement reads them.
select truncate_local_data_after_distributing_table(name::regclass) from unnest(array[
  'gateramp.partners', 'gateramp.api_keys', 'gateramp.consumers', 'gateramp.settings', 'gateramp.audit_entries',
  'gateramp.sessions', 'gateramp.intents', 'gateramp.transactions', 'gateramp.documents', 'gateramp.events',
  'gateramp.deliveries', 'gateramp.delivery_queue', 'gateramp.tasks', 'gateramp.endpoints', 'gateramp.endpoint_health',
  'gateramp.idempotency_keys', 'gateramp.once_marks', 'gateramp.counters']) as t(name);
