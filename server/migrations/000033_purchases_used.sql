-- What the follower asks at every block: authorizations that the chain used, by where. Few of the open ones are.
create index purchases_used on purchases (network, used_height) where closed_at is null and used_height is not null;
