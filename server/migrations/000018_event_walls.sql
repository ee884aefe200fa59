-- The second wall behind the account in every query: a transaction of one account sees no event of another.
alter table events enable row level security;
create policy events_of_account on events to florin_service
  using (current_setting('app.account_id', true) in (account_id, 'service'));
alter table event_sequences enable row level security;
create policy event_sequences_of_account on event_sequences to florin_service
  using (current_setting('app.account_id', true) in (account_id, 'service'));
alter table event_tickets enable row level security;
create policy event_tickets_of_account on event_tickets to florin_service
  using (current_setting('app.account_id', true) in (account_id, 'service'));
