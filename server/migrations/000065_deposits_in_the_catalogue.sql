-- A deposit counts in the catalogue once, however often its success is given.
set local lock_timeout = '3s';
alter table escrow_calls add column catalogued boolean not null default false;
