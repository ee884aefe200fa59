-- A transfer that a claim's payment turned out to be has the claim's record, and the deposit's steps back.
-- stands_in: the block in which a claim's record stands for a transfer to its receiver's wallet, where it was not seen there itself first.
-- held_until: until when a final deposit waits for the word on a claim that it may be the payment of.
alter table payments
  add column stands_in text,
  add column held_until timestamptz;
