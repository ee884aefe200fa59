-- What a followed block holds of builds and nobody could read, for want of the module of its venue: such a build is not over, and is read
-- once the module is there.
create table unread_builds (
  network text not null,
  payment_id text not null references builds (payment_id),
  hash text not null,
  height bigint not null,
  block_hash text not null,
  primary key (payment_id, hash)
);
create index unread_builds_in_turn on unread_builds (network, payment_id, hash);
create index unread_builds_above on unread_builds (network, height);
grant select, insert, delete on unread_builds to florin_service;
