-- What a call to the escrow is about and what became of it, for the account that asked for it. Those of before have no id, and are shown to nobody.
-- Whoever uses this table waits behind this as long as it waits itself.
set local lock_timeout = '3s';
alter table escrow_calls
  add column id text,
  add column asset text,
  -- Of a deposit and of a refund; a claim and a settlement are of nobody's.
  add column payer text,
  add column receivers text[],
  add column channel_ids text[],
  -- Base units that it moved: into the escrow, to what its receivers may have, to its receiver, or back. Null until a block shows it, but of a deposit.
  add column amount numeric(78, 0) check (amount >= 0),
  -- What a refund counted for the receiver before.
  add column claimed numeric(78, 0) check (claimed >= 0),
  add column status text check (status in ('pending', 'confirmed', 'settled', 'failed')),
  -- The block that status and amount were read of.
  add column seen_block_hash text,
  add column confirmed_at timestamptz,
  add column settled_at timestamptz,
  add column ended_at timestamptz,
  add constraint escrow_calls_recorded check (
    (id is null and status is null)
    or (id is not null and status is not null and asset is not null and receivers is not null and channel_ids is not null));
create unique index escrow_calls_by_id on escrow_calls (id);
create index escrow_calls_of_account on escrow_calls (account_id, created_at, id) where id is not null;
create index escrow_calls_of_kind on escrow_calls (account_id, operation, created_at, id) where id is not null;
create index escrow_calls_not_settled on escrow_calls (account_id, created_at, id) where status <> 'settled';
create index escrow_calls_under_way on escrow_calls (network, id) where status in ('pending', 'confirmed');
create index escrow_calls_by_place on escrow_calls (chain_transaction_id);
-- The calls of a channel. By equality of texts, since behind row-level security no index of the array would be used.
create table escrow_call_channels (
  account_id text not null references accounts (id),
  channel_id text not null,
  call_id text not null references escrow_calls (id),
  primary key (account_id, channel_id, call_id)
);
alter table escrow_call_channels enable row level security;
create policy escrow_call_channels_of_account on escrow_call_channels to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert on escrow_call_channels to florin_service;
