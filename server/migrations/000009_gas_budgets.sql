-- What settling may cost on one day: one row per network, day of UTC and whoever it is counted for. Reserved with the claim, in the same
-- transaction, so that settlements at the same moment cannot pass the limit together.
create table gas_budgets (
  network text not null,
  day date not null,
  subject text not null check (length(subject) between 1 and 200),
  reserved numeric(78, 0) not null check (reserved >= 0),
  primary key (network, day, subject)
);
grant select, insert, update, delete on gas_budgets to florin_service;
