-- One transfer pays one purchase, whatever a search of the chain makes of it.
create unique index purchases_effect on purchases (network, used_hash, used_log_index) where used_hash is not null;
