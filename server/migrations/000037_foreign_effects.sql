-- One effect of somebody else's transaction pays one claim, whatever a search of the chain makes of it.
create table foreign_effects (
  network text not null,
  transaction_hash text not null,
  effect_index integer not null,
  payment_id text not null references payments (id),
  account_id text not null references accounts (id),
  primary key (network, transaction_hash, effect_index)
);
create index foreign_effects_of_payment on foreign_effects (payment_id);
alter table foreign_effects enable row level security;
create policy foreign_effects_of_account on foreign_effects to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
grant select, insert, update, delete on foreign_effects to florin_service;
