-- The tables that a payment on one chain needs. Money is numeric(78,0): base units, never a fraction.
-- Times are timestamptz written by the service's clock, except where a default says otherwise.

create table accounts (
  id text primary key check (id ~ '^acct_[1-9A-HJ-NP-Za-km-z]{22}$'),
  name text not null,
  created_at timestamptz not null default now()
);

-- A bearer key is known by the keyed digest of its text; the text itself is never stored.
create table api_keys (
  id text primary key check (id ~ '^key_[1-9A-HJ-NP-Za-km-z]{22}$'),
  account_id text not null references accounts (id),
  name text not null check (length(name) between 1 and 100),
  digest bytea not null unique check (octet_length(digest) = 32),
  last_four text not null check (length(last_four) = 4),
  mode text not null check (mode in ('live', 'test')),
  plan text not null check (plan in ('standard', 'premium', 'enterprise')),
  scopes text[] not null check (scopes <@ array['read', 'write', 'settle', 'trade', 'admin']),
  created_at timestamptz not null default now(),
  last_used_at timestamptz,
  expires_at timestamptz,
  deleted_at timestamptz
);
create index api_keys_by_account on api_keys (account_id, created_at);

-- Secrets of the installation itself (key pepper, proof key), sealed under the key-encryption key.
create table installation_secrets (
  name text primary key,
  sealed bytea not null,
  created_at timestamptz not null default now()
);

-- A custodial wallet: its private key sealed under a data key, the data key sealed under the key-encryption key.
-- sandbox_instance names the one sandbox whose chain this key may sign for; null outside a sandbox.
create table wallets (
  id text primary key check (id ~ '^wal_[1-9A-HJ-NP-Za-km-z]{22}$'),
  account_id text not null references accounts (id),
  family text not null check (family in ('evm', 'solana')),
  address text not null,
  label text check (length(label) <= 100),
  sealed_data_key bytea not null,
  sealed_private_key bytea not null,
  sandbox_instance text,
  created_at timestamptz not null default now(),
  deleted_at timestamptz,
  unique (family, address)
);
create index wallets_by_account on wallets (account_id, created_at);

create table wallet_policies (
  wallet_id text primary key references wallets (id),
  account_id text not null references accounts (id),
  rules json not null,
  updated_at timestamptz not null default now()
);

-- One row per chain and signing address: the next nonce, under a row lock. The order in which every
-- signing transaction takes its locks is: lane, then ledger accounts, then nothing.
create table lanes (
  network text not null,
  address text not null,
  next_nonce bigint not null check (next_nonce >= 0),
  state text not null default 'active' check (state in ('active', 'frozen')),
  frozen_reason text,
  created_at timestamptz not null default now(),
  primary key (network, address),
  check ((state = 'frozen') = (frozen_reason is not null))
);

create table payments (
  id text primary key check (id ~ '^pay_[1-9A-HJ-NP-Za-km-z]{22}$'),
  account_id text not null references accounts (id),
  type text not null check (type in ('sent', 'received')),
  wallet_id text references wallets (id),
  network text not null,
  asset text not null,
  amount numeric(78, 0) not null check (amount > 0),
  -- The asset's own, so that the amount can be read when the asset has left the configuration.
  decimals smallint not null check (decimals between 0 and 77),
  sender text not null,
  recipient text not null,
  resource text,
  metadata json,
  priority_fee numeric(78, 0),
  -- The most the network may take, held with the amount until the payment is final.
  fee_ceiling numeric(78, 0),
  commitment bytea check (octet_length(commitment) = 32),
  status text not null default 'pending'
    check (status in ('pending', 'confirmed', 'settled', 'failed', 'expired')),
  sandbox boolean not null,
  finality_violated boolean not null default false,
  -- Where the effect was seen: the winning transaction, null again after a reorg.
  transaction_hash text,
  block_height bigint,
  block_hash text,
  log_index integer,
  fee_paid numeric(78, 0),
  failure json,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  settled_at timestamptz,
  failed_at timestamptz,
  check ((status in ('confirmed', 'settled')) <= (transaction_hash is not null and block_height is not null)),
  check ((status = 'failed') = (failure is not null))
);
create index payments_by_account on payments (account_id, created_at desc, id desc);
create index payments_by_sender on payments (account_id, sender, created_at desc, id desc);
create index payments_by_recipient on payments (account_id, recipient, created_at desc, id desc);
create index payments_open on payments (wallet_id, network) where status in ('pending', 'confirmed');
create index payments_mined on payments (wallet_id, network, block_height) where type = 'sent' and block_height is not null;

-- What occupies one place in a lane. A place is bound to its content for ever: every attempt of it moves the same money.
create table chain_transactions (
  id bigint generated always as identity primary key,
  network text not null,
  lane_address text not null,
  nonce bigint not null,
  state text not null default 'open' check (state in ('open', 'mined', 'final', 'dead')),
  mined_hash text,
  mined_height bigint,
  mined_block_hash text,
  succeeded boolean,
  fee_ceiling numeric(78, 0) not null,
  fee_paid numeric(78, 0),
  created_at timestamptz not null,
  foreign key (network, lane_address) references lanes (network, address),
  unique (network, lane_address, nonce),
  check ((state in ('mined', 'final')) = (mined_hash is not null))
);
create index chain_transactions_open on chain_transactions (network, lane_address, nonce) where state in ('open', 'mined');

-- Signed bytes, stored before any node hears of them. number 1 is the first, higher ones are fee bumps.
create table attempts (
  id bigint generated always as identity primary key,
  chain_transaction_id bigint not null references chain_transactions (id),
  number integer not null check (number >= 1),
  network text not null,
  hash text not null,
  raw bytea not null,
  terms json not null,
  created_at timestamptz not null,
  first_accepted_at timestamptz,
  last_sent_at timestamptz,
  last_verdict text,
  unique (chain_transaction_id, number),
  unique (network, hash)
);

-- One chain transaction may carry several payments; effect_index says which of its transfers is whose.
create table payment_transactions (
  payment_id text not null references payments (id),
  chain_transaction_id bigint not null references chain_transactions (id),
  effect_index integer not null check (effect_index >= 0),
  primary key (payment_id, chain_transaction_id),
  unique (chain_transaction_id, effect_index)
);

-- Every chain effect that was counted for a payment, whatever the scheme: counted once per party.
create table effects (
  network text not null,
  transaction_hash text not null,
  effect_index integer not null,
  direction text not null check (direction in ('sent', 'received')),
  payment_id text not null references payments (id),
  account_id text not null references accounts (id),
  created_at timestamptz not null,
  primary key (network, transaction_hash, effect_index, direction)
);

-- Double entry. kind: available and held belong to a wallet and are never negative; external is the world
-- outside, fees what networks took, suspense what could not be explained.
create table ledger_accounts (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  wallet_id text not null references wallets (id),
  network text not null,
  asset text not null,
  kind text not null check (kind in ('available', 'held', 'external', 'fees', 'suspense')),
  balance numeric(78, 0) not null default 0,
  unique (wallet_id, network, asset, kind),
  check (kind not in ('available', 'held') or balance >= 0)
);

create table ledger_transfers (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  kind text not null check (kind in ('funding', 'hold', 'post', 'void', 'correction')),
  payment_id text references payments (id),
  network text not null,
  asset text not null,
  created_at timestamptz not null,
  check (kind in ('funding', 'correction') or payment_id is not null)
);
-- A hold is placed once per payment and asset, and closed once: posted or voided, never both.
create unique index ledger_holds_once on ledger_transfers (payment_id, asset) where kind = 'hold';
create unique index ledger_closed_once on ledger_transfers (payment_id, asset) where kind in ('post', 'void');

create table ledger_entries (
  transfer_id bigint not null references ledger_transfers (id),
  ledger_account_id bigint not null references ledger_accounts (id),
  account_id text not null references accounts (id),
  network text not null,
  asset text not null,
  amount numeric(78, 0) not null check (amount <> 0),
  primary key (transfer_id, ledger_account_id)
);
create index ledger_entries_by_account on ledger_entries (ledger_account_id);

create function ledger_transfer_balances() returns trigger language plpgsql as $$
begin
  if (select coalesce(sum(amount), 0) from ledger_entries
      where transfer_id = new.transfer_id and network = new.network and asset = new.asset) <> 0
     or exists (select from ledger_entries e join ledger_transfers t on t.id = e.transfer_id
                where e.transfer_id = new.transfer_id and (e.asset <> t.asset or e.network <> t.network)) then
    raise exception 'ledger transfer % does not balance', new.transfer_id using errcode = 'check_violation';
  end if;
  return null;
end $$;
create constraint trigger ledger_entries_balance after insert on ledger_entries
  deferrable initially deferred for each row execute function ledger_transfer_balances();

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
  for each statement execute function refuse_change();
create trigger ledger_transfers_append_only before update or delete or truncate on ledger_transfers
  for each statement execute function refuse_change();

-- Budgets of a wallet's policy, reserved in the signing transaction and released only when the payment failed.
-- The budget is reserved before the payment is written, so the reference is looked at when both are there.
create table policy_spends (
  payment_id text primary key references payments (id) deferrable initially deferred,
  wallet_id text not null references wallets (id),
  account_id text not null references accounts (id),
  network text not null,
  asset text not null,
  amount numeric(78, 0) not null,
  reserved_at timestamptz not null,
  released_at timestamptz
);
create index policy_spends_by_wallet on policy_spends (wallet_id, network, asset, reserved_at) where released_at is null;

-- Same account, same operation, same key: the same resource. Stored with the intent, so a refusal stores nothing.
create table idempotency_keys (
  account_id text not null references accounts (id),
  operation text not null,
  key text not null check (length(key) between 1 and 255),
  fingerprint bytea not null check (octet_length(fingerprint) = 32),
  resource_id text not null,
  created_at timestamptz not null,
  primary key (account_id, operation, key)
);
create index idempotency_keys_by_age on idempotency_keys (created_at);

-- Facts that leave the house, written with the change itself; the relay numbers them per account in commit order.
create table outbox (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  committed_in xid8 not null default pg_current_xact_id(),
  type text not null,
  resource_id text not null,
  data json not null,
  created_at timestamptz not null
);

-- The follower of a network: how far it has read, and who holds the lease. fence grows with every new holder;
-- a write under an older fence is refused.
create table followers (
  network text primary key,
  height bigint,
  block_hash text,
  finalized_height bigint not null default 0,
  lease_owner text,
  lease_until timestamptz,
  fence bigint not null default 0,
  halted_reason text
);

create table followed_blocks (
  network text not null references followers (network),
  height bigint not null,
  block_hash text not null,
  parent_hash text not null,
  primary key (network, height)
);

-- The service's own database role: it may not change or remove what the ledger has recorded.
do $$
begin
  if not exists (select from pg_roles where rolname = 'florin_service') then
    create role florin_service nologin;
  end if;
exception when duplicate_object or unique_violation then
  null; -- another database of the same cluster is migrating at this moment
end $$;
do $$
begin
  if not pg_has_role(current_user, 'florin_service', 'set') then
    execute format('grant florin_service to %I', current_user);
  end if;
exception when unique_violation then
  null; -- likewise
end $$;
grant usage on schema public to florin_service;
grant select, insert, update, delete on all tables in schema public to florin_service;
revoke update, delete, truncate on ledger_entries, ledger_transfers, effects from florin_service;
revoke delete, truncate on accounts, api_keys, wallets, lanes, payments, chain_transactions, attempts,
  payment_transactions, ledger_accounts, policy_spends from florin_service;
grant usage on all sequences in schema public to florin_service;
-- What was applied is written by the one who may change the schema.
revoke insert, update, delete on migrations from florin_service;
