-- Where a stored transaction lives only until a height (Solana), a new attempt is made when every earlier one is proven dead.
-- Each row is one node's look into its whole history that found nothing, after that node had called a height final at which the
-- bytes could not be included any more.
create table expiry_looks (
  attempt_id bigint not null references attempts (id),
  node text not null,
  finalized_height bigint not null,
  looked_at timestamptz not null,
  primary key (attempt_id, node, looked_at)
);
grant select, insert on expiry_looks to florin_service;
