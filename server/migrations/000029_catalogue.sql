-- What sellers offer by x402 and what was paid for here: one row per account and thing that can be called. A row is written by settlements of
-- its own account alone, so nobody changes or hides what another account has listed.
create table catalogue_resources (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  resource text not null check (octet_length(resource) <= 1024),
  type text not null check (type in ('http', 'mcp')),
  -- Empty where the seller names none.
  method text not null,
  tool_name text not null check (char_length(tool_name) <= 128),
  x402_version smallint not null check (x402_version in (1, 2)),
  description text,
  mime_type text,
  service_name text,
  tags text[] not null,
  icon_url text,
  bazaar json not null,
  -- What was paid, newest first: network, scheme, asset, pay_to and amount in one spelling, and the requirement as the seller wrote it.
  accepts jsonb not null,
  words text not null,
  document tsvector generated always as (to_tsvector('english', words)) stored,
  settled_count bigint not null check (settled_count > 0),
  listed_at timestamptz not null,
  last_settled_at timestamptz not null,
  unique (account_id, resource, method, tool_name)
);
create index catalogue_resources_settled on catalogue_resources (account_id, last_settled_at);
alter table catalogue_resources enable row level security;
create policy catalogue_resources_of_account on catalogue_resources to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update, delete on catalogue_resources to florin_service;

-- A payment counts once in the catalogue, however often its seller asks.
alter table settlement_claims add column catalogued boolean not null default false;
