-- Money that came to a custodial wallet without a request of ours: a record of type received that the follower writes.

-- Which of the equal transfers of its transaction a deposit is; null on every payment that is none. A transaction that is mined again in
-- another block may show its transfers under other indexes, so a deposit is found again by what it moves.
alter table payments add column occurrence integer check (occurrence >= 0);
alter table payments add constraint payments_deposit check (
  occurrence is null or (type = 'received' and transaction_hash is not null and wallet_id is not null));
create unique index payments_received_once on payments
  (network, transaction_hash, recipient, asset, sender, amount, occurrence) where type = 'received';
-- What finality closes and a reorg takes back; of the settled ones, what a reorg beyond the policy takes back.
create index payments_deposits_confirmed on payments (network, block_height)
  where occurrence is not null and status = 'confirmed';
create index payments_deposits_settled on payments (network, block_height)
  where occurrence is not null and status = 'settled';
