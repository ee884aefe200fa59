-- People, their sessions, and the account of what they change.

-- The most that the account's own keys may have (docs/decisions/0002): what people make for themselves gets it.
alter table accounts add column plan text not null default 'standard' references plans (name);
update accounts a set plan = coalesce(
  (select k.plan from api_keys k where k.account_id = a.id and k.deleted_at is null
   order by array_position(array['enterprise', 'premium', 'standard'], k.plan) limit 1), 'standard');

-- A person. Emails are kept in small letters; nobody checks that post arrives there.
create table members (
  id text primary key check (id ~ '^mem_[1-9A-HJ-NP-Za-km-z]{22}$'),
  email text unique check (email = lower(email) and length(email) between 3 and 254),
  name text not null check (length(name) between 1 and 100),
  -- Runs the installation.
  is_operator boolean not null default false,
  created_at timestamptz not null
);

-- What a person may do in an account. joined_at: the invitation was taken up; before, it gives nothing.
create table memberships (
  account_id text not null references accounts (id),
  member_id text not null references members (id),
  role text not null check (role in ('viewer', 'developer', 'owner')),
  created_at timestamptz not null,
  joined_at timestamptz,
  primary key (account_id, member_id)
);
create index memberships_by_member on memberships (member_id);

-- Apart from the people, so that nothing that reads these meets a password.
create table passwords (
  member_id text primary key references members (id),
  hash text not null,
  set_at timestamptz not null
);

create table passkeys (
  id text primary key check (id ~ '^psk_[1-9A-HJ-NP-Za-km-z]{22}$'),
  member_id text not null references members (id),
  name text not null check (length(name) between 1 and 100),
  credential_id bytea not null unique,
  public_key bytea not null,
  counter bigint not null check (counter >= 0),
  transports text[] not null,
  synced boolean not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_member on passkeys (member_id, created_at);

-- What an authenticator is asked to sign: once, soon. member_id: who makes a passkey; null for signing in.
create table passkey_challenges (
  digest bytea primary key check (octet_length(digest) = 32),
  member_id text references members (id),
  expires_at timestamptz not null
);
create index passkey_challenges_by_age on passkey_challenges (expires_at);

-- A link that signs somebody in. Only its digest is kept. Single use, but for the sandbox's.
create table sign_in_links (
  digest bytea primary key check (octet_length(digest) = 32),
  -- first_operator: makes the installation's first operator. operator: signs one in. invitation: into account_id. sandbox: loopback only.
  kind text not null check (kind in ('first_operator', 'operator', 'invitation', 'sandbox')),
  member_id text references members (id),
  account_id text references accounts (id),
  created_at timestamptz not null,
  -- Null: as long as the sandbox that made it.
  expires_at timestamptz,
  used_at timestamptz,
  check ((kind = 'first_operator') = (member_id is null)),
  check ((kind = 'invitation') = (account_id is not null)),
  check ((kind = 'sandbox') = (expires_at is null))
);
create index sign_in_links_by_member on sign_in_links (member_id, account_id) where used_at is null;

-- token_digest: SHA-256 of 256 random bits. role and is_operator are what it was given when its token was last made anew: what a
-- person may do now is the lesser of these and what the person has.
create table sessions (
  id text primary key check (id ~ '^ses_[1-9A-HJ-NP-Za-km-z]{22}$'),
  token_digest bytea not null unique check (octet_length(token_digest) = 32),
  member_id text not null references members (id),
  selected_account_id text references accounts (id),
  role text check (role in ('viewer', 'developer', 'owner')),
  is_operator boolean not null,
  method text not null check (method in ('link', 'password', 'passkey')),
  address text not null,
  user_agent text not null check (length(user_agent) <= 200),
  created_at timestamptz not null,
  seen_at timestamptz not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  check ((selected_account_id is null) = (role is null))
);
create index sessions_by_member on sessions (member_id, created_at desc);
create index sessions_by_age on sessions (expires_at);

-- Attempts to sign in, by digests of where they come from and of whom they are about.
create table sign_in_windows (
  subject bytea primary key check (octet_length(subject) = 32),
  attempts integer not null check (attempts >= 0),
  until timestamptz not null
);
create index sign_in_windows_by_age on sign_in_windows (until);

-- Who changed what. Written in the transaction that changes it, and never again. account_id is null for what concerns the installation.
create table audit_log (
  position bigint generated always as identity primary key,
  id text not null unique check (id ~ '^aud_[1-9A-HJ-NP-Za-km-z]{22}$'),
  account_id text references accounts (id),
  actor text not null check (actor in ('member', 'key', 'system')),
  actor_id text,
  actor_name text,
  action text not null check (action ~ '^[a-z_]+\.[a-z_]+$'),
  object text,
  address text,
  request_id text,
  details json not null,
  created_at timestamptz not null,
  check ((actor = 'system') = (actor_id is null))
);
create index audit_log_by_account on audit_log (account_id, position desc);

-- A ticket may be a session's.
alter table event_tickets drop constraint event_tickets_key_id_fkey;

alter table memberships enable row level security;
create policy memberships_of_account on memberships to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
alter table members enable row level security;
create policy members_of_account on members to florin_service
  using ((select current_setting('app.account_id', true)) = 'service' or exists (
    select from memberships where member_id = members.id and account_id = (select current_setting('app.account_id', true))));
alter table sign_in_links enable row level security;
create policy sign_in_links_of_account on sign_in_links to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
alter table audit_log enable row level security;
create policy audit_log_of_account on audit_log to florin_service
  using ((select current_setting('app.account_id', true)) in (account_id, 'service'));
-- What opens sessions is no account's.
alter table passwords enable row level security;
create policy passwords_of_service on passwords to florin_service using ((select current_setting('app.account_id', true)) = 'service');
alter table passkeys enable row level security;
create policy passkeys_of_service on passkeys to florin_service using ((select current_setting('app.account_id', true)) = 'service');
alter table passkey_challenges enable row level security;
create policy passkey_challenges_of_service on passkey_challenges to florin_service
  using ((select current_setting('app.account_id', true)) = 'service');
alter table sessions enable row level security;
create policy sessions_of_service on sessions to florin_service using ((select current_setting('app.account_id', true)) = 'service');
alter table sign_in_windows enable row level security;
create policy sign_in_windows_of_service on sign_in_windows to florin_service
  using ((select current_setting('app.account_id', true)) = 'service');

grant select, insert, update on members to florin_service;
grant select, insert, update, delete on memberships to florin_service;
grant select, insert, update, delete on passwords to florin_service;
grant select, insert, update, delete on passkeys to florin_service;
grant select, insert, delete on passkey_challenges to florin_service;
grant select, insert, update, delete on sign_in_links to florin_service;
grant select, insert, update, delete on sessions to florin_service;
grant select, insert, update, delete on sign_in_windows to florin_service;
-- Never changed, never removed.
grant select, insert on audit_log to florin_service;
grant usage on sequence audit_log_position_seq to florin_service;
