-- The facts of the outbox, numbered per account without a gap: what sockets, streams and webhooks read, and what is replayed for 30 days.

-- Order comes from taking rows out of the outbox, not from a barrier by transaction id (docs/decisions): nobody reads this column.
alter table outbox drop column committed_in;
-- A queue whose front is always young: without this its index would be full of dead rows long before anybody cleans up.
alter table outbox set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);

-- The last number that each account has been given. Kept when its events are gone.
create table event_sequences (
  account_id text primary key references accounts (id),
  sequence bigint not null check (sequence > 0)
);

-- account_id was checked when the row came to the outbox, and accounts are never removed.
create table events (
  account_id text not null,
  sequence bigint not null check (sequence > 0),
  id text not null unique check (id ~ '^evt_[1-9A-HJ-NP-Za-km-z]{22}$'),
  type text not null,
  channel text not null,
  resource_id text not null,
  data json not null,
  created_at timestamptz not null,
  -- By the database's clock, under the relay's lock: it grows with the sequence, so that what is forgotten is always the beginning.
  numbered_at timestamptz not null default clock_timestamp(),
  primary key (account_id, sequence)
);
create index events_by_age on events using brin (numbered_at) with (pages_per_range = 16);

-- Who numbers. fence grows with every new holder of the lease; under an older one nothing is numbered.
create table relays (
  name text primary key,
  lease_owner text,
  lease_until timestamptz,
  fence bigint not null default 0
);
insert into relays (name) values ('events');

grant select, insert, update on event_sequences to florin_service;
grant select, insert, delete on events to florin_service;
grant select, update on relays to florin_service;
