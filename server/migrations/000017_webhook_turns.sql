-- Whose turn it is, and since when a delivery is being tried.

-- When something was last taken of it: of two endpoints that are owed as much, the one that has waited longer comes first.
alter table webhooks add column taken_at timestamptz;
-- When its owner last ended a pause, or switched it on again: what could not be sent until then does not count as tried.
alter table webhooks add column resumed_at timestamptz;
alter table webhook_deliveries add column first_taken_at timestamptz;
update webhook_deliveries set first_taken_at = created_at where attempts > 0 and status = 'waiting';
