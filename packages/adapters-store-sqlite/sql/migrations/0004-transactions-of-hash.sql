-- Operators look for the transaction of a hash that they have from a block explorer, in whatever case its letters are.

alter table transactions add column tx_hash text as (lower(row ->> 'txHash'));
create index transactions_of_hash on transactions (tx_hash, partner_id, mode, id) where tx_hash is not null;
