-- The list of an account's payments: those of a status that few have are found without reading the many that are settled.
create index payments_unsettled on payments (account_id, status, created_at desc, id desc) where status <> 'settled';
