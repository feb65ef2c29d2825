-- Packages of sessions that are open, each sealed under a master key together with its session.
create table gate.kyc_packages (
  session_id text collate "C" not null,
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  forget_by bigint not null,
  sealed text not null,
  primary key (session_id)
);

create index kyc_packages_to_forget on gate.kyc_packages
  (mode, forget_by);
