-- The same allowance may be asked for by builds of several accounts, and none of them may see that there is another.
alter table submissions
  drop constraint submissions_pkey,
  add primary key (network, hash, payment_id);
