-- What a network takes above a payment's hold leaves the books whole: `available` goes below zero by that much, and by nothing else. The next
-- of it that comes in fills it up.
alter table ledger_accounts
  add column overdrawn numeric(78, 0) not null default 0,
  drop constraint ledger_accounts_check,
  add constraint ledger_accounts_check check (kind not in ('available', 'held') or balance + overdrawn >= 0),
  add constraint ledger_accounts_overdrawn check (overdrawn = 0 or (kind = 'available' and overdrawn > 0));
