-- Ways into the stream of events. A ticket opens one socket, once: taking it removes its row. Only its digest is kept.
create table event_tickets (
  digest bytea primary key check (octet_length(digest) = 32),
  account_id text not null references accounts (id),
  key_id text not null references api_keys (id),
  expires_at timestamptz not null
);
create index event_tickets_by_age on event_tickets (expires_at);
grant select, insert, delete on event_tickets to florin_service;

-- What a plan allows an account on its sockets; null: as much as it likes.
alter table plans add column event_sockets integer check (event_sockets > 0);
alter table plans add column socket_messages_per_second integer check (socket_messages_per_second > 0);
update plans set event_sockets = 5, socket_messages_per_second = 50 where name = 'standard';
update plans set event_sockets = 20, socket_messages_per_second = 200 where name = 'premium';
