create index concurrently transactions_of_hash on gate.transactions (lower((row ->> 'txHash') collate "C")) where (row ->> 'txHash') is not null;
