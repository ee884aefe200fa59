-- References that cannot be wrong: the row that is named was written or locked by the same transaction, or is an account, and none of these
-- rows is ever deleted. Each was looked up again for every payment, which was a seventh of what the database did for a settlement. The doctor
-- holds them.

-- All at once and within 3 s in all, or not at all: whoever uses one of these tables waits behind this. Beside a doctor or a dump it fails and is
-- to be run again.
set local statement_timeout = '3s';
lock table accounts, payments, settlement_claims, chain_transactions, payment_transactions, effects in access exclusive mode;
set local statement_timeout to default;

alter table payments drop constraint payments_account_id_fkey;
alter table settlement_claims drop constraint settlement_claims_account_id_fkey;
alter table payment_transactions
  drop constraint payment_transactions_payment_id_fkey,
  drop constraint payment_transactions_chain_transaction_id_fkey;
alter table effects
  drop constraint effects_payment_id_fkey,
  drop constraint effects_account_id_fkey;
