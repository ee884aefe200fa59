-- Calls of ours to the escrow of x402's batch-settlement: one for each key, whoever asks for it and how often.
create table escrow_calls (
  network text not null,
  -- What makes it one and the same: of a deposit its authorization, of a claim all that it says, of a refund its nonce, of a settlement what was sent before.
  call_key text not null,
  account_id text not null references accounts (id),
  operation text not null check (operation in ('deposit', 'claim', 'settle', 'refund')),
  content_digest bytea not null,
  -- Of a settlement its token and receiver: one whose answer was lost is found by them.
  subject text,
  chain_transaction_id bigint references chain_transactions (id),
  created_at timestamptz not null,
  -- A deposit comes with a request that is to be served: its success is given once, and again under the idempotency key that it was given under. Of a settlement when it
  -- was told.
  given_at timestamptz,
  given_key text,
  given_fingerprint bytea,
  primary key (network, call_key)
);
create index escrow_calls_by_subject on escrow_calls (network, subject, created_at) where subject is not null;
create index escrow_calls_by_given_key on escrow_calls (account_id, given_key) where given_key is not null;
alter table escrow_calls enable row level security;
create policy escrow_calls_of_account on escrow_calls to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update on escrow_calls to florin_service;
