--! breaking
-- Facts of one account that became true together are one row, in the outbox and once they are numbered: a row for each of them was four times
-- the work of the database (docs/decisions). Each fact is a line of JSON: {"type":...,"resourceId":...,"data":...}.

-- Whoever still numbers ends first, and loses nothing: what was numbered behind the copy would be gone. The copy takes as long as it takes, some
-- 40 us for each event of the last 30 days, and room for both tables.
lock table outbox, events in access exclusive mode;
set local statement_timeout = 0;

-- Numbers and ids of a run follow each other: the last number and the first id say all of them. In the order of ASCII ids are in their own order.
create table event_runs (
  account_id text not null,
  last_sequence bigint not null,
  count integer not null check (count between 1 and 128),
  first_id text collate "C" not null check (first_id ~ '^evt_[1-9A-HJ-NP-Za-km-z]{22}$'),
  facts text not null,
  created_at timestamptz not null,
  -- By the database's clock, under the relay's lock: it grows with the numbers, so that what is forgotten is always the beginning.
  numbered_at timestamptz not null default clock_timestamp(),
  primary key (account_id, last_sequence),
  check (last_sequence >= count)
);
-- Packing costs more than it saves: a run is written, moved and read a few times.
alter table event_runs alter column facts set storage external;
insert into event_runs (account_id, last_sequence, count, first_id, facts, created_at, numbered_at)
  select account_id, sequence, 1, id,
    format('{"type":%s,"resourceId":%s,"data":%s}', to_json(type), to_json(resource_id), translate(data::text, E'\r\n', '')), created_at, numbered_at
  from events order by numbered_at;
create unique index event_runs_by_id on event_runs (account_id, first_id);
create index event_runs_by_age on event_runs using brin (numbered_at) with (pages_per_range = 16);
alter table event_runs enable row level security;
create policy event_runs_of_account on event_runs to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, delete on event_runs to florin_service;
drop table events;

alter table outbox add column count integer not null default 1 check (count between 1 and 128), add column facts text;
alter table outbox alter column count drop default, alter column facts set storage external;
update outbox
  set facts = format('{"type":%s,"resourceId":%s,"data":%s}', to_json(type), to_json(resource_id), translate(data::text, E'\r\n', ''));
alter table outbox alter column facts set not null, drop column type, drop column resource_id, drop column data;
