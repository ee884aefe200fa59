-- What a followed block brought to wallets and no node tells in a way that can be believed: it is set aside, so that nobody else's money waits for
-- it, and asked for again until it is told.
create table unread_deposits (
  network text not null,
  hash text not null,
  height bigint not null,
  block_hash text not null,
  -- A wallet that may have got something.
  address text not null,
  since timestamptz not null,
  asks integer not null default 0,
  ask_at timestamptz not null,
  primary key (network, hash)
);
create index unread_deposits_above on unread_deposits (network, height);
create index unread_deposits_due on unread_deposits (network, ask_at);
grant select, insert, update, delete on unread_deposits to florin_service;
