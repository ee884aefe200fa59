-- What the facilitator needs to settle payments of x402: whose keys pay for it, and who has claimed which proof.

-- Wallets of ours that submit other people's authorizations. A retired one finishes what it has begun.
create table settler_wallets (
  wallet_id text primary key references wallets (id),
  created_at timestamptz not null,
  retired_at timestamptz
);
grant select, insert, update on settler_wallets to florin_service;

-- One claim per proof, for ever: by what the payer signed, never by its text or signature. answered_at says that the one success has
-- been given out; closed_at that the payment has come to its end.
create table settlement_claims (
  payment_id text primary key references payments (id) deferrable initially deferred,
  account_id text not null references accounts (id),
  network text not null,
  proof_key text not null check (length(proof_key) between 1 and 200),
  terms_digest bytea not null check (octet_length(terms_digest) = 32),
  "authorization" json not null,
  valid_before numeric(78, 0),
  since_height bigint not null check (since_height >= 0),
  created_at timestamptz not null,
  looked_at timestamptz,
  answered_at timestamptz,
  closed_at timestamptz,
  unique (network, proof_key)
);
create index settlement_claims_open on settlement_claims (network, looked_at nulls first, created_at) where closed_at is null;
grant select, insert, update on settlement_claims to florin_service;
