-- Rows of nouns that the store knows nothing of but what they are found and listed by.
create table gate.documents (
  partner_id text collate "C" not null,
  mode text collate "C" not null,
  noun text collate "C" not null,
  id text collate "C" not null,
  version integer not null,
  group_key text collate "C",
  created_at bigint not null,
  keep_until bigint,
  -- Text: kept byte for byte.
  body text not null,
  primary key (partner_id, mode, noun, id)
);

create index documents_kept_until on gate.documents
  (mode, keep_until)
  where (keep_until IS NOT NULL);

create index documents_of_group on gate.documents
  (partner_id, mode, noun, group_key, id)
  where (group_key IS NOT NULL);
