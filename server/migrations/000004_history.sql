-- What the history of an address and the search for a payment need, with pages that cost the same at any depth.

-- How many payments an address has sent and received, by account: counting a million rows for a page would take longer than reading it.
-- The sum over the shards counts. A shard below 64 belongs to one transaction at a time, which holds its advisory lock until
-- it has ended: counting never waits for another payment and cannot be part of a deadlock, wherever in a transaction it
-- happens. When all are taken, the transaction's own number makes a shard that nobody else can have.
create table payment_counts (
  account_id text not null,
  address text not null,
  type text not null check (type in ('sent', 'received')),
  shard bigint not null check (shard >= 0),
  count bigint not null check (count > 0),
  primary key (account_id, address, type, shard)
) with (fillfactor = 50);
-- The service reads the counts; only the trigger writes them, so they cannot say something else than the payments.
grant select on payment_counts to florin_service;

create function count_new_payments() returns trigger language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  shards constant integer := 64;
  counting constant integer := 7364985; -- "pay" in ASCII
  own bigint := pg_backend_pid() % shards;
  tried integer := 1;
begin
  while not pg_try_advisory_xact_lock(counting, own::integer) loop
    if tried = shards then
      own := shards + pg_current_xact_id()::text::bigint;
      exit;
    end if;
    own := (own + 1) % shards;
    tried := tried + 1;
  end loop;
  insert into payment_counts as counted (account_id, address, type, shard, count)
  select account_id, case type when 'sent' then sender else recipient end, type, own, count(*)
  from added group by 1, 2, 3
  on conflict (account_id, address, type, shard) do update set count = counted.count + excluded.count;
  return null;
end $$;
-- Creating the trigger keeps writers out until this migration is committed, so what stands here already is counted exactly once.
create trigger payments_counted after insert on payments
  referencing new table as added for each statement execute function count_new_payments();
insert into payment_counts (account_id, address, type, shard, count)
  select account_id, case type when 'sent' then sender else recipient end, type, 0, count(*)
  from payments group by 1, 2, 3;

-- An address's own side of a payment: a record of type sent belongs to its sender, one of type received to its recipient.
create index payments_sent on payments (account_id, sender, created_at desc, id desc) where type = 'sent';
create index payments_received on payments (account_id, recipient, created_at desc, id desc) where type = 'received';
drop index payments_by_sender;
drop index payments_by_recipient;
-- A status that few payments have is found without reading the many that are settled.
create index payments_sent_unsettled on payments (account_id, sender, status, created_at desc, id desc)
  where type = 'sent' and status <> 'settled';
create index payments_received_unsettled on payments (account_id, recipient, status, created_at desc, id desc)
  where type = 'received' and status <> 'settled';
-- The start of a resource: a whole one can be longer than an index entry.
create index payments_sent_for on payments (account_id, sender, left(resource, 256), created_at desc, id desc)
  where type = 'sent' and resource is not null;
create index payments_received_for on payments (account_id, recipient, left(resource, 256), created_at desc, id desc)
  where type = 'received' and resource is not null;

create index payments_by_transaction on payments (transaction_hash) where transaction_hash is not null;
create index payments_by_commitment on payments (commitment) where commitment is not null;
-- Payments whose proof the chain does not show: found by what the proof says was paid.
create index payments_uncommitted on payments (account_id, sender, recipient, amount)
  where type = 'sent' and commitment is null;
