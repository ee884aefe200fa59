-- Trades of tokens. A trade is carried by a payment: what goes in is the payment's own amount, and everything that signing, sending
-- and following need is the payment's. Here stands what a trade adds: what was quoted, the least that was accepted, and what came in.
create table trades (
  id text primary key,
  account_id text not null references accounts (id),
  payment_id text not null unique references payments (id),
  side text not null check (side in ('buy', 'sell')),
  network text not null,
  wallet_address text not null,
  mint text not null,
  symbol text,
  token_decimals smallint not null check (token_decimals >= 0),
  native_decimals smallint not null check (native_decimals >= 0),
  venue text not null,
  -- Base units: what goes in, what the venue said would come out, the least that the chain may give, what it really gave.
  amount_in numeric(78, 0) not null check (amount_in > 0),
  quoted_out numeric(78, 0) not null check (quoted_out > 0),
  minimum_out numeric(78, 0) not null check (minimum_out > 0),
  received numeric(78, 0) check (received > 0),
  received_height bigint,
  -- Whether the ledger has what came in.
  booked boolean not null default false,
  -- Percent.
  slippage numeric(21, 18) not null check (slippage > 0 and slippage < 100),
  price_impact_basis_points numeric(78, 0),
  quoted_height bigint not null,
  route json not null,
  created_at timestamptz not null
);
create index trades_unbooked on trades (wallet_address, network) where received is not null and not booked;
create index trades_of_wallet on trades (account_id, wallet_address, created_at desc, id desc);
alter table trades enable row level security;
create policy trades_of_account on trades to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update on trades to florin_service;

-- The payment knows its trade, so that following need not look for one behind every payment.
alter table payments add column trade_id text;

-- What was built for others to sign, and that is no plain transfer: it is known by what goes in and by its commitment.
alter table builds add column trade_id text;

-- A place that has to be in before the one that carries a payment: EVM, the allowance of a token that is sold. It neither confirms
-- nor fails the payment; its fee is the payment's.
alter table chain_transactions add column before_payment text references payments (id);
create unique index chain_transactions_before_payment on chain_transactions (before_payment) where before_payment is not null;
