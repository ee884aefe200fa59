-- Approvals of Permit2 that payers signed and this service submits: stored before a node hears of them, and what a payer was given for one is
-- given once (docs/decisions). They move nothing, so nobody follows them.
create table sponsored_approvals (
  network text not null,
  hash text not null,
  payer text not null,
  asset text not null,
  nonce numeric(20, 0) not null,
  raw bytea not null,
  -- What the payer is given of native currency; 0 where it had enough.
  amount numeric(78, 0) not null check (amount >= 0),
  day date not null,
  -- The payment that gave it, and whose wallet that was.
  payment_id text unique,
  sponsor_account_id text,
  created_at timestamptz not null,
  primary key (network, hash),
  check ((payment_id is null) = (sponsor_account_id is null)),
  check (payment_id is null or amount > 0)
);
-- A payer is given something once a day for each token.
create unique index sponsored_approvals_of_day on sponsored_approvals (network, payer, asset, day) where amount > 0;
-- What gave nobody anything is forgotten after a while.
create index sponsored_approvals_unpaid on sponsored_approvals (created_at) where payment_id is null;
grant select, insert, update, delete on sponsored_approvals to florin_service;
