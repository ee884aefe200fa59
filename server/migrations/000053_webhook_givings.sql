-- Events that have their numbers and are not given out to webhooks yet: noted with the number, and given out beside the numbering, so that no
-- account's webhooks hold up the events of others (docs/decisions).

create table webhook_givings (
  account_id text not null,
  -- Of the events of one account that were numbered at once the last, and behind which one the first that is not given out yet.
  last_sequence bigint not null,
  given_sequence bigint not null,
  -- The endpoints that wanted some of them when they were numbered: [{"id":...,"types":[...]}], empty types for all. What is made or changed
  -- later has no say.
  webhooks json not null,
  -- Not after they were numbered: what is to be given out is not forgotten.
  created_at timestamptz not null default now(),
  primary key (account_id, last_sequence),
  check (given_sequence < last_sequence)
);
create index webhook_givings_by_age on webhook_givings (created_at);

alter table webhook_givings enable row level security;
create policy webhook_givings_of_account on webhook_givings to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update, delete on webhook_givings to florin_service;
