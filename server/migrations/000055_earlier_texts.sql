-- Migrations 000044 and 000050 had other texts at first (earlier-texts.ts). A database that was migrated then becomes here what all others are,
-- which are left alone.

-- Whoever uses these tables waits behind this as long as it waits itself.
set local lock_timeout = '3s';
set local statement_timeout = 0;

do $$
begin
  if to_regclass('payments_received_once') is not null then
    alter index payments_received_once rename to payments_deposit_once;
    alter index payments_open rename to payments_open_of_wallet;
  end if;

  if to_regclass('builds_looks') is not null then
    alter table builds add column look_at timestamptz not null default now();
    create index builds_due on builds (network, account_id, look_at)
      where closed_at is null and dead_height is null and seen_height is null and look_at < 'infinity';
    drop index builds_looks;
  end if;

  -- With the dormant ones: what was noted before a clock was set back is looked at again.
  if not exists (
    select from pg_index where indexrelid = to_regclass('builds_noted') and pg_get_expr(indpred, indrelid) !~ 'look_at'
  ) then
    drop index if exists builds_noted;
    create index builds_noted on builds (network, looked_at)
      where closed_at is null and dead_height is null and seen_height is null;
  end if;
end
$$;
