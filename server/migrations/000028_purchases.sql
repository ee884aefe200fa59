-- What custodial wallets authorise sellers to take. An authorization has no place of ours on chain: the seller's facilitator submits it, or
-- nobody does. Its money stays held until it was used, or can be used no more. The header is kept to the letter: a seller is shown the same
-- bytes every time, and nothing is signed twice for one request.
create table purchases (
  payment_id text primary key references payments (id),
  account_id text not null references accounts (id),
  wallet_id text not null references wallets (id),
  network text not null,
  request_digest bytea not null check (octet_length(request_digest) = 32),
  url text not null,
  proof_key text not null,
  stored json not null,
  -- One of the two says when it ends: unix seconds, or a block height.
  valid_before bigint,
  last_valid_block_height bigint,
  fee_payer text,
  since_height bigint not null,
  header_name text not null check (header_name in ('X-PAYMENT', 'PAYMENT-SIGNATURE')),
  header text not null,
  -- One exchange with the seller at a time; null when there is none under way.
  asking_until timestamptz,
  shown integer not null check (shown >= 0),
  answer_status integer,
  answer_headers json,
  answer_body bytea,
  delivered boolean not null default false,
  -- The same request joins it: not delivered, not used, not over.
  joinable boolean not null default true,
  used_hash text,
  used_height bigint,
  used_block_hash text,
  used_log_index integer,
  -- Once the chain is final up to there, it took no effect and never will.
  dead_height bigint,
  look_at timestamptz,
  looks integer not null default 0,
  created_at timestamptz not null,
  closed_at timestamptz,
  unique (network, proof_key),
  check ((valid_before is null) <> (last_valid_block_height is null)),
  check ((used_height is null) = (used_hash is null) and (used_height is null) = (used_block_hash is null)),
  check (not (joinable and (delivered or closed_at is not null)))
);
create unique index purchases_joinable on purchases (wallet_id, network, request_digest) where joinable;
create index purchases_open on purchases (network, look_at nulls first) where closed_at is null;
create index purchases_fee_payers on purchases (network, fee_payer) where closed_at is null and fee_payer is not null;
create index purchases_answered on purchases (closed_at) where answer_body is not null;
alter table purchases enable row level security;
create policy purchases_of_account on purchases to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update on purchases to florin_service;
