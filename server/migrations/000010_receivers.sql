-- The seller's side: addresses that one account alone may claim payments for, and what a claim needs to be answered again.

-- Registered by a signature of the address. A row is never removed: a repeated request may ask what became of it.
create table receiving_addresses (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  family text not null check (family in ('evm', 'solana')),
  address text not null check (length(address) between 1 and 128),
  label text check (length(label) between 1 and 100),
  registered_at timestamptz not null,
  deleted_at timestamptz
);
create unique index receiving_addresses_live on receiving_addresses (family, address) where deleted_at is null;
create index receiving_addresses_by_account on receiving_addresses (account_id, registered_at);
grant select, insert, update on receiving_addresses to florin_service;
grant usage on sequence receiving_addresses_id_seq to florin_service;

-- answer_kept: the success was given out again under its idempotency key, so it cannot be given back.
alter table settlement_claims add column x402_version smallint check (x402_version in (1, 2));
alter table settlement_claims add column answer_kept boolean not null default false;
