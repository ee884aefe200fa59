-- Self-custody: transactions that the service builds and that somebody else signs and sends.

-- A payment that was built here has no wallet of ours, no hold and no place in a lane. remark: what the chain showed of it instead.
alter table payments add column self_custody boolean not null default false;
alter table payments add column abandoned_at timestamptz;
alter table payments add column remark json;
alter table payments add constraint payments_self_custody check (
  case when self_custody then wallet_id is null and fee_ceiling is null
    else abandoned_at is null and remark is null end);
-- What finality closes and a reorg takes back.
create index payments_built_confirmed on payments (network, block_height) where self_custody and status = 'confirmed';
create index payments_built_settled on payments (network, block_height) where self_custody and status = 'settled';

-- What was built, as it was answered. dead_height: once the chain that was read is final up to there and shows no effect, it can have
-- none any more. closed_at: the payment has come to its end.
create table builds (
  payment_id text primary key references payments (id) deferrable initially deferred,
  account_id text not null references accounts (id),
  network text not null,
  sender text not null,
  recipient text not null,
  asset text not null,
  amount numeric(78, 0) not null check (amount > 0),
  commitment bytea check (octet_length(commitment) = 32),
  nonce numeric(20, 0) check (nonce >= 0),
  last_valid_block_height bigint not null check (last_valid_block_height >= 0),
  expiry_enforced_by_chain boolean not null,
  transaction bytea not null,
  facts json not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  looked_at timestamptz,
  -- Where its effect was seen, null again after a reorg.
  seen_height bigint,
  dead_height bigint,
  dead_reason text check (dead_reason in ('nonce_used_by_another_transaction', 'lifetime_over', 'transaction_reverted')),
  closed_at timestamptz,
  check ((dead_height is null) = (dead_reason is null))
);
create index builds_live on builds (network, sender) where closed_at is null;
create index builds_dying on builds (network, dead_height) where closed_at is null and dead_height is not null;
create index builds_looks on builds (network, looked_at nulls first, created_at)
  where closed_at is null and dead_height is null and seen_height is null;
create index builds_by_place on builds (network, sender, nonce) where nonce is not null;
create unique index builds_by_commitment on builds (network, commitment) where commitment is not null;
grant select, insert, update on builds to florin_service;

-- A nonce that a build may use alone: within its account and wallet, until it expires.
create table build_nonces (
  account_id text not null references accounts (id),
  network text not null,
  sender text not null,
  nonce numeric(20, 0) not null check (nonce >= 0),
  payment_id text not null,
  expires_at timestamptz not null,
  primary key (account_id, network, sender, nonce)
);
create index build_nonces_by_age on build_nonces (expires_at);
grant select, insert, update, delete on build_nonces to florin_service;

-- Signed bytes that a caller asked us to broadcast, stored before any node hears of them.
create table submissions (
  network text not null,
  hash text not null,
  payment_id text not null references builds (payment_id),
  account_id text not null references accounts (id),
  raw bytea not null,
  created_at timestamptz not null,
  last_sent_at timestamptz,
  last_verdict text,
  primary key (network, hash)
);
create index submissions_by_payment on submissions (payment_id, created_at);
grant select, insert, update on submissions to florin_service;
