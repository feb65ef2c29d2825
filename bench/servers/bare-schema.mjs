/**
 * The tables of the bare server: columns for filters and order, a key for each table, and one partial index for due
 * deliveries. A create writes four rows and, including that index, five index entries.
 */
export const BARE_SCHEMA = `
create schema if not exists bare;
create table if not exists bare.idempotency_keys (
  partner_id text not null,
  mode text not null,
  key text not null,
  fingerprint text not null,
  reply text not null,
  created_at bigint not null,
  primary key (partner_id, mode, key)
);
create table if not exists bare.sessions (
  partner_id text not null,
  mode text not null,
  id text not null,
  status text not null,
  flow text,
  amount text not null,
  currency text not null,
  target_token text,
  target_network text,
  return_url text not null,
  cancel_url text,
  wallet_address text,
  user_reference text,
  metadata text not null,
  secret_prefix text not null,
  secret_hash text not null,
  created_at bigint not null,
  expires_at bigint not null,
  primary key (partner_id, mode, id)
);
create table if not exists bare.events (
  id uuid primary key,
  session_id text not null,
  type text not null,
  created_at bigint not null,
  body text not null
);
create table if not exists bare.deliveries (
  id bigint generated always as identity primary key,
  event_id uuid not null,
  partner_id text not null,
  mode text not null,
  status text not null default 'pending',
  attempts int not null default 0,
  due_at bigint not null,
  lease_until bigint,
  response_status int,
  delivered_at bigint
);
create index if not exists deliveries_due on bare.deliveries (due_at) where status = 'pending';
`;

/** One statement that writes only for a new key, and otherwise returns the stored answer of the key. */
export const BARE_CREATE = `
with k as (
  insert into bare.idempotency_keys (partner_id, mode, key, fingerprint, reply, created_at)
  values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning 1),
s as (
  insert into bare.sessions (partner_id, mode, id, status, flow, amount, currency, target_token, target_network, return_url, cancel_url,
    wallet_address, user_reference, metadata, secret_prefix, secret_hash, created_at, expires_at)
  select $1, $2, $7, 'open', $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $6, $20 from k),
e as (
  insert into bare.events (id, session_id, type, created_at, body) select $21, $7, 'gate_session.created', $6, $22 from k),
d as (
  insert into bare.deliveries (event_id, partner_id, mode, due_at) select $21, $1, $2, $6 from k)
select exists (select from k) as is_new, old.fingerprint, old.reply
from (values (1)) one left join bare.idempotency_keys old on old.partner_id = $1 and old.mode = $2 and old.key = $3`;

export const BARE_FIND = `select * from bare.sessions where partner_id = $1 and mode = $2 and id = $3`;

/** Leases the oldest due deliveries, and returns the data to post. */
export const BARE_CLAIM = `
with due as (
  select id from bare.deliveries where status = 'pending' and due_at <= $1 order by due_at limit $2 for update skip locked)
update bare.deliveries d set due_at = $3, lease_until = $3, attempts = attempts + 1
from due, bare.events e where d.id = due.id and e.id = d.event_id
returning d.id, d.event_id, e.type, e.body`;

/** Settles all deliveries of a round. Failed ones are due again in a minute. */
export const BARE_SETTLE = `
update bare.deliveries d set response_status = s.code, lease_until = null,
  status = case when s.code between 200 and 299 then 'delivered' else 'pending' end,
  delivered_at = case when s.code between 200 and 299 then $3::bigint end,
  due_at = case when s.code between 200 and 299 then d.due_at else $3::bigint + 60000 end
from unnest($1::bigint[], $2::int[]) as s(id, code) where d.id = s.id`;

/** Writes the given number of due deliveries, with events of a typical size. */
export const BARE_FILL = `
with e as (
  insert into bare.events (id, session_id, type, created_at, body)
  select gen_random_uuid(), lpad(to_hex(n), 24, '0'), 'gate_session.created', $2::bigint, '{"data":"' || repeat('x', 700) || '"}' from generate_series(1, $1::int) n
  returning id)
insert into bare.deliveries (event_id, partner_id, mode, due_at) select id, '65f0c0ffee65f0c0ffee0001', 'test', $2::bigint from e`;
