-- What payers call their payments: while a payment has its name, no other payment of the same payer is settled under it at the same account.
create table payment_identifiers (
  account_id text not null references accounts (id),
  payer text not null,
  identifier text not null check (identifier ~ '^[a-zA-Z0-9_-]{16,128}$'),
  network text not null,
  proof_key text not null,
  reserved_at timestamptz not null,
  primary key (account_id, payer, identifier)
);
create index payment_identifiers_reserved on payment_identifiers (reserved_at);
alter table payment_identifiers enable row level security;
create policy payment_identifiers_of_account on payment_identifiers to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update, delete on payment_identifiers to florin_service;
