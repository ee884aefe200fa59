-- What the network took of a trade's fee to include it sooner: known once a block shows it, and null for trades that were seen before.
-- Whoever uses this table waits behind this as long as it waits itself.
set local lock_timeout = '3s';
alter table trades add column priority_fee_used numeric(78, 0) check (priority_fee_used >= 0);
