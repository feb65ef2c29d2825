-- Operators look up transactions by a hash from a block explorer, in upper or lower case.

alter table transactions add column tx_hash text as (lower(row ->> 'txHash'));
create index transactions_of_hash on transactions (tx_hash, partner_id, mode, id) where tx_hash is not null;
