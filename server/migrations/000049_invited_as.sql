-- Whoever uses this table waits behind this as long as it waits itself.
set local lock_timeout = '3s';

-- As whom somebody was invited, in the words of whoever did: all that the account sees of a person who has not come yet.
alter table memberships add column invited_name text;
alter table memberships add column invited_email text;

-- What is shown of those who have not come stays as it is, whatever they call themselves later.
update memberships p set invited_name = m.name, invited_email = m.email
from members m where m.id = p.member_id and p.joined_at is null;
