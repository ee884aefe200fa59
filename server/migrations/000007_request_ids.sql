-- The request whose commit signed an attempt, so that an operator finds the one from the other. Null for what the service signed by
-- itself later: raised fees and rebuilds.
alter table attempts add column request_id text
  check (request_id ~ '^req_[1-9A-HJ-NP-Za-km-z]{22}$');

-- How many payments have each status: counting them for every look at the metrics would read all of them. The sum over the shards
-- counts; one shard alone may be negative, since a payment may be counted in by one and out by another. Shards are taken as
-- those of payment_counts are: counting never waits for another payment and cannot be part of a deadlock.
create table payment_tallies (
  network text not null,
  type text not null check (type in ('sent', 'received')),
  status text not null,
  shard bigint not null check (shard >= 0),
  count bigint not null,
  primary key (network, type, status, shard)
) with (fillfactor = 50);
grant select on payment_tallies to florin_service;

create function tally_payments() returns trigger language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  shards constant integer := 64;
  tallying constant integer := 7627116; -- "tal" in ASCII
  own bigint := pg_backend_pid() % shards;
  tried integer := 1;
begin
  while not pg_try_advisory_xact_lock(tallying, own::integer) loop
    if tried = shards then
      own := shards + pg_current_xact_id()::text::bigint;
      exit;
    end if;
    own := (own + 1) % shards;
    tried := tried + 1;
  end loop;
  if tg_op = 'INSERT' then
    insert into payment_tallies as tally (network, type, status, shard, count)
    select network, type, status, own, count(*) from after group by 1, 2, 3
    on conflict (network, type, status, shard) do update set count = tally.count + excluded.count;
  else
    insert into payment_tallies as tally (network, type, status, shard, count)
    select network, type, status, own, sum(change)
    from (select network, type, status, -1 as change from before
          union all select network, type, status, 1 from after) changes
    group by 1, 2, 3 having sum(change) <> 0
    on conflict (network, type, status, shard) do update set count = tally.count + excluded.count;
  end if;
  return null;
end $$;
-- Creating a trigger keeps writers out until this migration is committed, so what stands here already is counted exactly once.
create trigger payments_tallied_in after insert on payments
  referencing new table as after for each statement execute function tally_payments();
create trigger payments_tallied_on after update on payments
  referencing old table as before new table as after for each statement execute function tally_payments();
insert into payment_tallies (network, type, status, shard, count)
  select network, type, status, 0, count(*) from payments group by 1, 2, 3;

-- Few are ever frozen, and somebody looks for them every few seconds.
create index lanes_frozen on lanes (network) where state = 'frozen';
