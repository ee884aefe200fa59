-- What fills a nonce that nobody had used: it carries no payment, so its fee is the wallet's own, and is booked once when it is final (docs/decisions).
create table gap_fillings (
  chain_transaction_id bigint primary key references chain_transactions (id),
  network text not null,
  lane_address text not null,
  -- Native base units; null until its place is final and the books of the wallet have it.
  booked_fee numeric(78, 0)
);
create index gap_fillings_of_lane on gap_fillings (network, lane_address);
grant select, insert, update on gap_fillings to florin_service;

-- Those that are under way. A payment behind one may have been to bear its fee: where its hold was too small, nobody's books had the rest.
with fillings as (
  select t.id, t.network, t.lane_address from chain_transactions t
  where t.state in ('open', 'mined') and t.network like 'eip155:%'
    and not exists (select from payment_transactions where chain_transaction_id = t.id)
    and exists (select from attempts a where a.chain_transaction_id = t.id
      and a.terms ->> 'to' = t.lane_address and a.terms ->> 'value' = '0')
), freed as (
  update chain_transactions t set before_payment = null from fillings
  where t.id = fillings.id and t.before_payment is not null
)
insert into gap_fillings (chain_transaction_id, network, lane_address) select id, network, lane_address from fillings;
