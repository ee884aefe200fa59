-- What markets of the followed chains do, for everybody to see: no account has a row here. Everything is read again from the chain when
-- it is lost, and rows above a reorg's ancestor are removed.

-- How far each network's markets were read. fence grows with every new holder of the lease; a write under an older one is refused.
create table market_followers (
  network text primary key,
  height bigint not null check (height >= 0),
  block_hash text not null,
  finalized_height bigint not null,
  lease_owner text,
  lease_until timestamptz,
  fence bigint not null default 0
);
create table market_blocks (
  network text not null references market_followers (network),
  height bigint not null,
  block_hash text not null,
  primary key (network, height)
);

-- Tokens that some market trades, as their chain told when they were first seen. Kept when a reorg takes the market away.
create table market_tokens (
  network text not null,
  mint text not null,
  decimals integer not null check (decimals between 0 and 255),
  symbol text,
  name text,
  seen_at timestamptz not null,
  primary key (network, mint)
);

create table market_pools (
  network text not null,
  market text not null,
  mint text not null,
  venue text not null,
  creator text,
  transaction_hash text not null,
  height bigint not null,
  opened_at timestamptz not null,
  primary key (network, market, mint)
);
create index market_pools_by_mint on market_pools (network, mint);
create index market_pools_by_height on market_pools (network, height);

-- What a pool held after a block; of final blocks only the newest is kept.
create table market_reserves (
  network text not null,
  market text not null,
  mint text not null,
  height bigint not null,
  native numeric(78, 0) not null check (native >= 0),
  token numeric(78, 0) not null check (token >= 0),
  at timestamptz not null,
  primary key (network, mint, market, height)
);
create index market_reserves_by_height on market_reserves (network, height);

-- price: native base units for one base unit of the token times 10^36, the market's own after the trade.
create table market_trades (
  id bigint generated always as identity primary key,
  network text not null,
  mint text not null,
  market text not null,
  venue text not null,
  side text not null check (side in ('buy', 'sell')),
  trader text not null,
  native_amount numeric(78, 0) not null check (native_amount > 0),
  token_amount numeric(78, 0) not null check (token_amount > 0),
  price numeric(120, 0) not null check (price > 0),
  transaction_hash text not null,
  effect_index integer not null,
  height bigint not null,
  traded_at timestamptz not null,
  unique (network, transaction_hash, effect_index, mint)
);
create index market_trades_by_mint on market_trades (network, mint, height desc, id desc);
create index market_trades_by_time on market_trades (network, mint, traded_at);
create index market_trades_by_height on market_trades (network, height);
create index market_trades_by_age on market_trades using brin (traded_at);

-- Minutes are made of trades, hours of minutes, days of hours: each anew whenever something in it changes.
create table market_candles (
  network text not null,
  mint text not null,
  seconds integer not null check (seconds in (60, 3600, 86400)),
  start_at timestamptz not null,
  open numeric(120, 0) not null,
  high numeric(120, 0) not null,
  low numeric(120, 0) not null,
  close numeric(120, 0) not null,
  native_volume numeric not null,
  token_volume numeric not null,
  trades bigint not null check (trades > 0),
  primary key (network, mint, seconds, start_at)
);
create index market_candles_by_age on market_candles (seconds, start_at);

-- What all instances tell those who listen now; forgotten within minutes. Per network one holder of the lease writes, so ids come in order.
create table market_events (
  id bigint generated always as identity primary key,
  network text not null,
  event_id text not null check (event_id ~ '^evt_[1-9A-HJ-NP-Za-km-z]{22}$'),
  type text not null check (type in ('trade', 'newToken', 'priceUpdate')),
  mint text not null,
  data json not null,
  at timestamptz not null
);
create index market_events_by_network on market_events (network, id);
create index market_events_by_age on market_events (at);

grant select, insert, update on market_followers, market_tokens to florin_service;
grant select, insert, delete on market_blocks, market_trades, market_events to florin_service;
grant select, insert, update, delete on market_pools, market_reserves, market_candles to florin_service;
