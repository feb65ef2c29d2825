-- Partners, what they have registered, and the settings of the installation.
--
-- In all files: `row` is the JSON that the domain decided on, kept as it was written; the other columns are those that queries filter,
-- sort or compare. Ids and names are compared by their bytes (collation "C"), so lists have the same order in every locale.

create table gate.partners (id text collate "C" primary key, row json not null);

create table gate.api_keys (
  hash text collate "C" primary key,
  partner_id text collate "C" not null,
  row json not null,
  last_used_at bigint
);
comment on column gate.api_keys.last_used_at is
  'Not part of the row: saving a key replaces the row, and must not undo what another process has recorded meanwhile.';
create index api_keys_of_partner on gate.api_keys (partner_id);

create table gate.endpoints (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  url text,
  row json not null,
  primary key (partner_id, mode)
);
comment on table gate.endpoints is 'The webhook endpoint of a partner in a mode.';

create table gate.kyc_packages (
  session_id text collate "C" primary key,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  forget_by bigint not null,
  sealed text not null
);
comment on table gate.kyc_packages is 'The KYC packages of open sessions, each encrypted together with the id of its session.';
create index kyc_packages_to_forget on gate.kyc_packages (mode, forget_by);

create table gate.settings (name text collate "C" primary key, value text not null);

create table gate.consumers (
  name text collate "C" not null,
  type text collate "C" not null,
  is_removed boolean not null default false,
  version bigint not null,
  primary key (name, type)
);
comment on table gate.consumers is
  'In-process consumers, by name. Rows are never deleted, so the greatest version shows whether anything has changed.';
create index consumers_version on gate.consumers (version);

create function gate.register_consumers(p_consumers json) returns void language plpgsql as $$
begin
  -- Usually all are registered: then nothing is locked or written.
  if not exists (
    select from json_to_recordset(p_consumers) as w(name text, type text)
    where not exists (select from gate.consumers c where c.name = w.name and c.type = w.type and not c.is_removed)) then return;
  end if;
  perform pg_advisory_xact_lock(hashtextextended('gate.consumers', 0));
  insert into gate.consumers as c (name, type, version)
    select w.name, w.type, (select coalesce(max(version), 0) + 1 from gate.consumers)
    from json_to_recordset(p_consumers) as w(name text, type text)
    on conflict (name, type) do update set is_removed = false, version = excluded.version where c.is_removed;
end $$;
comment on function gate.register_consumers is
  'Registers the consumers that are missing. The lock keeps two changes from taking the same version.';

create function gate.remove_consumer(p_name text) returns void language plpgsql as $$
begin
  perform pg_advisory_xact_lock(hashtextextended('gate.consumers', 0));
  update gate.consumers set is_removed = true, version = (select coalesce(max(version), 0) + 1 from gate.consumers)
    where name = p_name and not is_removed;
end $$;
