-- Each change of a payment writes a new entry into every index that has its row, so an index has only the rows that are looked for in it.
-- The new ones are made before the old ones go: payments are read meanwhile, and written when this has ended.

set local statement_timeout = 0;

-- Deposits are told apart by their occurrence; rows without one never were.
create unique index payments_deposit_once on payments
  (network, transaction_hash, recipient, asset, sender, amount, occurrence)
  where type = 'received' and occurrence is not null;

-- What may still cost a wallet something; what is received has none.
create index payments_open_of_wallet on payments (wallet_id, network)
  where status in ('pending', 'confirmed') and wallet_id is not null;

drop index payments_received_once;
drop index payments_open;
