-- Since when nobody may use an account; null: it may be used. What was begun is driven to its end.
alter table accounts add column suspended_at timestamptz;
