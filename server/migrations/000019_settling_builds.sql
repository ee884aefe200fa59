-- Settlements that are built here and that the seller's own wallet signs and sends.

-- proof_key: the proof that such a build settles; its record is a received payment, with a claim of its own.
alter table builds add column proof_key text check (length(proof_key) between 1 and 200);
create index builds_by_proof on builds (network, proof_key) where proof_key is not null and closed_at is null;
-- What a reorg takes back, and what finality closes.
create index builds_seen on builds (network, seen_height) where closed_at is null and seen_height is not null;

-- built_until: until when the newest build for the seller's wallet is its account's alone. is_soft: afterwards another account may claim
-- the proof, until the chain shows it used, or until this service settles it.
alter table settlement_claims
  add column built_until timestamptz,
  add column is_soft boolean not null default false,
  add constraint settlement_claims_soft check (not is_soft or built_until is not null);

-- due_at: when stored bytes are sent again; null once a block has shown them or they can be included no more.
alter table submissions
  add column due_at timestamptz,
  add column sends integer not null default 0 check (sends >= 0);
create index submissions_due on submissions (network, due_at) where due_at is not null;
