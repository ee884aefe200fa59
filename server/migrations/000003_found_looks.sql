-- A look that found the bytes after they could not be included any more is remembered as well: a node that has forgotten its
-- history, or fails, must not outvote it later.
alter table expiry_looks add column found boolean not null default false;
