-- What a wallet has spent, summed up in runs of a thousand or so: a limit of a month read a million rows for each payment (2 s), under the lock of
-- its wallet. Each run begins where the one before it ends; the first one has no width and says from where on there are sums.
create table policy_spend_sums (
  wallet_id text not null references wallets (id),
  account_id text not null references accounts (id),
  network text not null,
  asset text not null,
  since timestamptz not null,
  -- Not included.
  until timestamptz not null check (until >= since),
  amount numeric(78, 0) not null,
  summed_at timestamptz not null,
  primary key (wallet_id, network, asset, until)
);
alter table policy_spend_sums enable row level security;
create policy policy_spend_sums_of_account on policy_spend_sums to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));

-- Spends that became less since there are sums: the sum of their time does not count until it is made anew.
create table policy_spend_changes (
  id bigint generated always as identity primary key,
  wallet_id text not null references wallets (id),
  account_id text not null references accounts (id),
  network text not null,
  asset text not null,
  reserved_at timestamptz not null
);
create index policy_spend_changes_by_wallet on policy_spend_changes (wallet_id, network, asset, reserved_at);
alter table policy_spend_changes enable row level security;
create policy policy_spend_changes_of_account on policy_spend_changes to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));

grant select, insert, update, delete on policy_spend_sums to florin_service;
grant select, insert, delete on policy_spend_changes to florin_service;
