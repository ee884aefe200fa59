-- What a payer is given is bound to the nonce of its approval: only by using that can it spend it, so one nonce is given something once, for
-- whichever token. No longer true where its payment gave nothing, or where the payer has it and a later approval of the nonce takes more.
alter table sponsored_approvals add column holds_nonce boolean not null default true;
-- Earlier versions gave something for each token and on each day: the one that was given last holds.
update sponsored_approvals a set holds_nonce = false where a.amount > 0 and exists (
  select from sponsored_approvals b
  where b.network = a.network and b.payer = a.payer and b.nonce = a.nonce and b.amount > 0
    and ((b.payment_id is not null), b.created_at, b.hash) > ((a.payment_id is not null), a.created_at, a.hash));
create unique index sponsored_approvals_of_nonce on sponsored_approvals (network, payer, nonce) where amount > 0 and holds_nonce;
-- What was given is forgotten, too, once that has long been final.
create index sponsored_approvals_given on sponsored_approvals (created_at) where payment_id is not null;
