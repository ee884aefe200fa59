-- What a seller really took of what it may take, where the scheme leaves that to it; the payment's amount is the same while it stands in the chain.
alter table purchases
  add column taken numeric(78,0),
  add constraint purchases_taken check (taken > 0 and taken <= (stored ->> 'permitted')::numeric),
  add constraint purchases_taken_used check (taken is null or used_hash is not null);
