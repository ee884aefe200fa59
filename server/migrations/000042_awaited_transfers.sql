-- The records of claims that a transfer may be the payment of, found by what the transfer shows.
create index payments_awaited on payments (account_id, recipient, sender, amount)
  where type = 'received' and status = 'pending' and occurrence is null and transaction_hash is null;
