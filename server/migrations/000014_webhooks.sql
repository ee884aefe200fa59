-- Endpoints of callers that hear of their account's events, and what each of them was told.

create table webhooks (
  id text primary key check (id ~ '^whk_[1-9A-HJ-NP-Za-km-z]{22}$'),
  account_id text not null references accounts (id),
  url text not null check (length(url) between 1 and 2048),
  description text check (length(description) between 1 and 200),
  -- Empty: every type of event.
  types text[] not null,
  enabled boolean not null,
  sealed_secret bytea not null,
  -- The secret before the last rotation, which signs beside the new one for a while.
  sealed_previous_secret bytea,
  previous_until timestamptz,
  -- The first failure since the last success.
  failing_since timestamptz,
  -- Failed last, was slow, or was never asked: it gets one request at a time.
  in_trouble boolean not null default true,
  paused_at timestamptz,
  pause_reason text check (pause_reason in ('failing', 'gone')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  deleted_at timestamptz,
  check ((sealed_previous_secret is null) = (previous_until is null)),
  check ((paused_at is null) = (pause_reason is null))
);
create index webhooks_by_account on webhooks (account_id, created_at) where deleted_at is null;

-- Of one endpoint and lane (a payment, say) only the oldest waiting delivery has due_at; the next gets it when that one has ended.
-- Enqueuing and ending take the lane's advisory lock, so that none is forgotten between them.
create table webhook_deliveries (
  position bigint generated always as identity primary key,
  id text not null unique check (id ~ '^dlv_[1-9A-HJ-NP-Za-km-z]{22}$'),
  account_id text not null references accounts (id),
  webhook_id text not null references webhooks (id),
  event_id text not null,
  type text not null,
  lane text not null,
  redelivery_of text,
  body text not null,
  status text not null default 'waiting' check (status in ('waiting', 'delivered', 'failed')),
  attempts integer not null default 0 check (attempts >= 0),
  log json not null default '[]',
  -- When it may be sent; while an instance sends it (lease is set), when that instance counts as dead.
  due_at timestamptz,
  lease text,
  created_at timestamptz not null default now(),
  ended_at timestamptz,
  check ((status = 'waiting') = (ended_at is null)),
  check (status = 'waiting' or (due_at is null and lease is null))
);
create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where due_at is not null;
create index webhook_deliveries_leased on webhook_deliveries (webhook_id) where lease is not null;
create index webhook_deliveries_lanes on webhook_deliveries (webhook_id, lane, position) where status = 'waiting';
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, position desc);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- The second wall behind the account in every query: a transaction of one account sees no row of another.
alter table webhooks enable row level security;
create policy webhooks_of_account on webhooks to florin_service
  using (current_setting('app.account_id', true) in (account_id, 'service'));
alter table webhook_deliveries enable row level security;
create policy webhook_deliveries_of_account on webhook_deliveries to florin_service
  using (current_setting('app.account_id', true) in (account_id, 'service'));

grant select, insert, update on webhooks to florin_service;
grant select, insert, update, delete on webhook_deliveries to florin_service;
grant usage on sequence webhook_deliveries_position_seq to florin_service;
