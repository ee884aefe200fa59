-- A transaction may carry several settlements, and each takes effect or not by itself: one of them that does not leaves its payment to
-- another transaction, while its neighbours were paid.
alter table payment_transactions add column without_effect boolean not null default false;
