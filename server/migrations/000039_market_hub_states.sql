-- What pools of a token and a hub last showed; of final blocks only the newest is kept. quote: base units of the hub. held: what the pool
-- holds; else what its last trade moved.
create table market_hub_states (
  network text not null,
  market text not null,
  mint text not null,
  hub text not null check (hub <> mint),
  height bigint not null,
  quote numeric(78, 0) not null check (quote >= 0),
  token numeric(78, 0) not null check (token >= 0),
  held boolean not null,
  at timestamptz not null,
  primary key (network, mint, market, height)
);
create index market_hub_states_by_height on market_hub_states (network, height);
create index market_hub_states_by_age on market_hub_states (at) where not held;

grant select, insert, update, delete on market_hub_states to florin_service;
