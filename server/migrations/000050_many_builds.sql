-- Anybody can have any number of builds made for one place of a sender. Whoever follows the chain reads a few of them, however many there are.
-- The table is written anew, and whoever uses it waits until that has ended.
set local lock_timeout = '3s';
set local statement_timeout = 0;

-- As texts: behind the walls between accounts an index finds no numeric, because its comparison might tell what it compares.
alter table builds
  add column nonce_text text generated always as (nonce::text) stored,
  -- All that tells a build which carries nothing of its own.
  add column unmarked_terms text generated always as (
    case when commitment is null and proof_key is null
      then nonce::text || ' ' || asset || ' ' || recipient || ' ' || amount::text end) stored;

-- The newest of a place that have not come to their end.
create index builds_live_of_place on builds (network, sender, nonce_text, created_at)
  where nonce_text is not null and closed_at is null and seen_height is null;
-- The oldest of each account, without reading its others.
create index builds_unmarked on builds (network, sender, unmarked_terms, account_id, created_at, payment_id)
  where unmarked_terms is not null and closed_at is null and seen_height is null;
-- An account's own of a place, beside which others may have had as many made.
create index builds_of_account_by_place on builds (network, sender, nonce_text, account_id, created_at) where nonce_text is not null;
drop index builds_by_place;

-- When a build is looked at next. Those of accounts take turns; one that is dormant is never due. looked_at says when that was noted, at first
-- when the build was made: what was noted before a clock was set back is due as well. What is there is due at once.
alter table builds add column look_at timestamptz not null default now();
create index builds_due on builds (network, account_id, look_at)
  where closed_at is null and dead_height is null and seen_height is null and look_at < 'infinity';
create index builds_noted on builds (network, looked_at)
  where closed_at is null and dead_height is null and seen_height is null;
drop index builds_looks;
