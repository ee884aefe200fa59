-- What the market really took of what was offered, read from the mined swap with what came in: less where its liquidity ended.
alter table trades
  add column taken numeric(78,0),
  add constraint trades_taken check (taken > 0 and taken <= amount_in),
  add constraint trades_taken_received check (taken is null or received is not null);
