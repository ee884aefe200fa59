-- A claim may be settled through another facilitator: which one was asked last, and when. Whoever writes asked_at has the turn to ask it.
alter table settlement_claims
  add column facilitator text check (length(facilitator) between 1 and 2048),
  add column asked_at timestamptz;
