-- Requests that were let in, by account and day in UTC. Added to every few seconds by every instance.
create table request_days (
  account_id text not null references accounts (id),
  day date not null,
  requests bigint not null check (requests >= 0),
  primary key (account_id, day)
);
create index request_days_by_age on request_days (day);
alter table request_days enable row level security;
create policy request_days_of_account on request_days to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update, delete on request_days to florin_service;
