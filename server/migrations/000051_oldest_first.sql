-- Whoever uses these tables waits behind this as long as it waits itself.
set local lock_timeout = '3s';
set local statement_timeout = 0;

-- What is forgotten goes oldest first, a bounded number at a time: by a summary of pages each time sorts all that is old.
create index event_runs_oldest on event_runs (numbered_at);
drop index event_runs_by_age;
create index market_trades_oldest on market_trades (traded_at);
drop index market_trades_by_age;
