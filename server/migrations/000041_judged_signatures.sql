-- Signatures of the claimed payment that its payer's code was asked about: whoever shows one of them shows the payment.
alter table settlement_claims add column judged text[] not null default '{}';
