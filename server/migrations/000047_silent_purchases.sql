-- Whoever uses this table waits behind this as long as it waits itself.
set local lock_timeout = '3s';

-- Purchases of which the chain shows nothing yet, of one account: counted before another one is signed.
create index purchases_silent on purchases (network, account_id) where closed_at is null and used_height is null and dead_height is null;
