-- Payments summed up by the hour that they were created in, so that an overview of a month does not read each of them. Only hours that
-- lie between since and until are summed up; what is younger, and what changed after it was summed up, is read from the payments.
create table payment_hours_kept (
  account_id text primary key references accounts (id),
  since timestamptz not null,
  until timestamptz not null,
  check (since <= until)
);
create table payment_hours (
  account_id text not null references accounts (id),
  hour timestamptz not null,
  network text not null,
  asset text not null,
  decimals smallint not null,
  type text not null,
  status text not null,
  payments bigint not null check (payments > 0),
  amount numeric(78) not null,
  primary key (account_id, hour, network, asset, decimals, type, status)
);
-- How long confirming took in an hour, apart and in one row: by network and status as well they would be nearly as many as the payments.
create table payment_hour_latencies (
  account_id text not null references accounts (id),
  hour timestamptz not null,
  -- Number of a bound -> payments between it and the next.
  payments json not null,
  primary key (account_id, hour)
);
-- Hours that a payment came into, or changed in, more than an hour after it was created: read from the payments until they are summed up
-- again. Rows are only added here, without a key that two transactions could wait for.
create table payment_hours_late (
  id bigint generated always as identity primary key,
  account_id text not null references accounts (id),
  hour timestamptz not null
);
create index payment_hours_late_by_account on payment_hours_late (account_id, hour);

alter table payment_hours_kept enable row level security;
create policy payment_hours_kept_of_account on payment_hours_kept to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
alter table payment_hours enable row level security;
create policy payment_hours_of_account on payment_hours to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
alter table payment_hour_latencies enable row level security;
create policy payment_hour_latencies_of_account on payment_hour_latencies to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
alter table payment_hours_late enable row level security;
create policy payment_hours_late_of_account on payment_hours_late to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update on payment_hours_kept to florin_service;
grant select, insert, delete on payment_hours, payment_hour_latencies to florin_service;
-- Only the trigger adds to it, so no change of a payment is forgotten.
grant select, delete on payment_hours_late to florin_service;

create function note_late_payment() returns trigger language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
begin
  insert into payment_hours_late (account_id, hour)
  values (new.account_id, date_bin('1 hour', new.created_at, 'epoch'));
  return null;
end $$;
-- A payment that is stored or changed within an hour of its creation, which is nearly every one, calls nothing: an hour is summed up two
-- hours after its end at the earliest, when whatever began within that time has long ended.
create trigger payments_stored_late after insert on payments for each row
  when (new.created_at < now() - interval '1 hour') execute function note_late_payment();
create trigger payments_changed_late after update on payments for each row
  when (new.created_at < now() - interval '1 hour' and (
    new.status is distinct from old.status or new.confirmed_at is distinct from old.confirmed_at
    or new.occurrence is distinct from old.occurrence or new.amount is distinct from old.amount))
  execute function note_late_payment();
