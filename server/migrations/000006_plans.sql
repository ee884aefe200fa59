-- What the plans are is data that an operator may change; every instance follows within half a second (docs/operating/limits.md).
-- Which plan a key has stands with the key.
create table plans (
  name text primary key check (name in ('standard', 'premium', 'enterprise')),
  -- Null: as many as its keys like.
  requests_per_minute integer check (requests_per_minute > 0)
);
insert into plans (name, requests_per_minute) values ('standard', 100), ('premium', 1000), ('enterprise', null);
alter table api_keys add constraint api_keys_plan_fkey foreign key (plan) references plans (name);

-- Where a plan differs from the endpoint table: an operation that it includes, or leaves out. What stands nowhere here is
-- decided by the plan that the operation's own row names.
create table plan_operations (
  plan text not null references plans (name),
  operation text not null check (length(operation) between 1 and 100),
  included boolean not null,
  primary key (plan, operation)
);

-- The number agreed with an account, for its enterprise keys; null: the plan's.
alter table accounts add column enterprise_requests_per_minute integer check (enterprise_requests_per_minute > 0);

grant select, update on plans to florin_service;
grant select, insert, update, delete on plan_operations to florin_service;
