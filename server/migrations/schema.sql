-- The schema after all migrations, for review. A test compares it with a migrated database;
-- write it anew with: node bin/florin.js exec node_modules/vitest/vitest.mjs run schema-dump -u

-- tables

table accounts
  id text not null
  name text not null
  created_at timestamp with time zone not null default now()
  enterprise_requests_per_minute integer
  plan text not null default 'standard'::text
  suspended_at timestamp with time zone
table api_keys
  id text not null
  account_id text not null
  name text not null
  digest bytea not null
  last_four text not null
  mode text not null
  plan text not null
  scopes text[] not null
  created_at timestamp with time zone not null default now()
  last_used_at timestamp with time zone
  expires_at timestamp with time zone
  deleted_at timestamp with time zone
table attempts
  id bigint not null generated always as identity
  chain_transaction_id bigint not null
  number integer not null
  network text not null
  hash text not null
  raw bytea not null
  terms json not null
  created_at timestamp with time zone not null
  first_accepted_at timestamp with time zone
  last_sent_at timestamp with time zone
  last_verdict text
  request_id text
table audit_log
  position bigint not null generated always as identity
  id text not null
  account_id text
  actor text not null
  actor_id text
  actor_name text
  action text not null
  object text
  address text
  request_id text
  details json not null
  created_at timestamp with time zone not null
table build_nonces
  account_id text not null
  network text not null
  sender text not null
  nonce numeric(20,0) not null
  payment_id text not null
  expires_at timestamp with time zone not null
table builds
  payment_id text not null
  account_id text not null
  network text not null
  sender text not null
  recipient text not null
  asset text not null
  amount numeric(78,0) not null
  commitment bytea
  nonce numeric(20,0)
  last_valid_block_height bigint not null
  expiry_enforced_by_chain boolean not null
  transaction bytea not null
  facts json not null
  created_at timestamp with time zone not null
  expires_at timestamp with time zone not null
  looked_at timestamp with time zone
  seen_height bigint
  dead_height bigint
  dead_reason text
  closed_at timestamp with time zone
  proof_key text
  trade_id text
  nonce_text text default (nonce)::text
  unmarked_terms text default 
CASE
    WHEN ((commitment IS NULL) AND (proof_key IS NULL)) THEN (((((((nonce)::text || ' '::text) || asset) || ' '::text) || recipient) || ' '::text) || (amount)::text)
    ELSE NULL::text
END
  look_at timestamp with time zone not null default now()
table catalogue_resources
  id bigint not null generated always as identity
  account_id text not null
  resource text not null
  type text not null
  method text not null
  tool_name text not null
  x402_version smallint not null
  description text
  mime_type text
  service_name text
  tags text[] not null
  icon_url text
  bazaar json not null
  accepts jsonb not null
  words text not null
  document tsvector default to_tsvector('english'::regconfig, words)
  settled_count bigint not null
  listed_at timestamp with time zone not null
  last_settled_at timestamp with time zone not null
table chain_transactions
  id bigint not null generated always as identity
  network text not null
  lane_address text not null
  nonce bigint not null
  state text not null default 'open'::text
  mined_hash text
  mined_height bigint
  mined_block_hash text
  succeeded boolean
  fee_ceiling numeric(78,0) not null
  fee_paid numeric(78,0)
  created_at timestamp with time zone not null
  before_payment text
table effects
  network text not null
  transaction_hash text not null
  effect_index integer not null
  direction text not null
  payment_id text not null
  account_id text not null
  created_at timestamp with time zone not null
table escrow_call_channels
  account_id text not null
  channel_id text not null
  call_id text not null
table escrow_calls
  network text not null
  call_key text not null
  account_id text not null
  operation text not null
  content_digest bytea not null
  subject text
  chain_transaction_id bigint
  created_at timestamp with time zone not null
  given_at timestamp with time zone
  given_key text
  given_fingerprint bytea
  id text
  asset text
  payer text
  receivers text[]
  channel_ids text[]
  amount numeric(78,0)
  claimed numeric(78,0)
  status text
  seen_block_hash text
  confirmed_at timestamp with time zone
  settled_at timestamp with time zone
  ended_at timestamp with time zone
  catalogued boolean not null default false
table event_runs
  account_id text not null
  last_sequence bigint not null
  count integer not null
  first_id text not null
  facts text not null
  created_at timestamp with time zone not null
  numbered_at timestamp with time zone not null default clock_timestamp()
table event_sequences
  account_id text not null
  sequence bigint not null
table event_tickets
  digest bytea not null
  account_id text not null
  key_id text not null
  expires_at timestamp with time zone not null
table expiry_looks
  attempt_id bigint not null
  node text not null
  finalized_height bigint not null
  looked_at timestamp with time zone not null
  found boolean not null default false
table followed_blocks
  network text not null
  height bigint not null
  block_hash text not null
  parent_hash text not null
table followers
  network text not null
  height bigint
  block_hash text
  finalized_height bigint not null default 0
  lease_owner text
  lease_until timestamp with time zone
  fence bigint not null default 0
  halted_reason text
table foreign_effects
  network text not null
  transaction_hash text not null
  effect_index integer not null
  payment_id text not null
  account_id text not null
table gap_fillings
  chain_transaction_id bigint not null
  network text not null
  lane_address text not null
  booked_fee numeric(78,0)
table gas_budgets
  network text not null
  day date not null
  subject text not null
  reserved numeric(78,0) not null
table idempotency_keys
  account_id text not null
  operation text not null
  key text not null
  fingerprint bytea not null
  resource_id text not null
  created_at timestamp with time zone not null
table installation_secrets
  name text not null
  sealed bytea not null
  created_at timestamp with time zone not null default now()
table lanes
  network text not null
  address text not null
  next_nonce bigint not null
  state text not null default 'active'::text
  frozen_reason text
  created_at timestamp with time zone not null default now()
table ledger_accounts
  id bigint not null generated always as identity
  account_id text not null
  wallet_id text not null
  network text not null
  asset text not null
  kind text not null
  balance numeric(78,0) not null default 0
  overdrawn numeric(78,0) not null default 0
table ledger_entries
  transfer_id bigint not null
  ledger_account_id bigint not null
  account_id text not null
  network text not null
  asset text not null
  amount numeric(78,0) not null
table ledger_transfers
  id bigint not null generated always as identity
  account_id text not null
  kind text not null
  payment_id text
  network text not null
  asset text not null
  created_at timestamp with time zone not null
table market_blocks
  network text not null
  height bigint not null
  block_hash text not null
table market_candles
  network text not null
  mint text not null
  seconds integer not null
  start_at timestamp with time zone not null
  open numeric(120,0) not null
  high numeric(120,0) not null
  low numeric(120,0) not null
  close numeric(120,0) not null
  native_volume numeric not null
  token_volume numeric not null
  trades bigint not null
table market_events
  id bigint not null generated always as identity
  network text not null
  event_id text not null
  type text not null
  mint text not null
  data json not null
  at timestamp with time zone not null
table market_followers
  network text not null
  height bigint not null
  block_hash text not null
  finalized_height bigint not null
  lease_owner text
  lease_until timestamp with time zone
  fence bigint not null default 0
table market_hub_states
  network text not null
  market text not null
  mint text not null
  hub text not null
  height bigint not null
  quote numeric(78,0) not null
  token numeric(78,0) not null
  held boolean not null
  at timestamp with time zone not null
table market_pools
  network text not null
  market text not null
  mint text not null
  venue text not null
  creator text
  transaction_hash text not null
  height bigint not null
  opened_at timestamp with time zone not null
table market_reserves
  network text not null
  market text not null
  mint text not null
  height bigint not null
  native numeric(78,0) not null
  token numeric(78,0) not null
  at timestamp with time zone not null
table market_tokens
  network text not null
  mint text not null
  decimals integer not null
  symbol text
  name text
  seen_at timestamp with time zone not null
table market_trades
  id bigint not null generated always as identity
  network text not null
  mint text not null
  market text not null
  venue text not null
  side text not null
  trader text not null
  native_amount numeric(78,0) not null
  token_amount numeric(78,0) not null
  price numeric(120,0) not null
  transaction_hash text not null
  effect_index integer not null
  height bigint not null
  traded_at timestamp with time zone not null
table members
  id text not null
  email text
  name text not null
  is_operator boolean not null default false
  created_at timestamp with time zone not null
table memberships
  account_id text not null
  member_id text not null
  role text not null
  created_at timestamp with time zone not null
  joined_at timestamp with time zone
  invited_name text
  invited_email text
table migrations
  number integer not null
  name text not null
  breaking boolean not null
  checksum text not null
  applied_at timestamp with time zone not null default now()
table outbox
  id bigint not null generated always as identity
  account_id text not null
  created_at timestamp with time zone not null
  count integer not null
  facts text not null
table passkey_challenges
  digest bytea not null
  member_id text
  expires_at timestamp with time zone not null
table passkeys
  id text not null
  member_id text not null
  name text not null
  credential_id bytea not null
  public_key bytea not null
  counter bigint not null
  transports text[] not null
  synced boolean not null
  created_at timestamp with time zone not null
  last_used_at timestamp with time zone
table passwords
  member_id text not null
  hash text not null
  set_at timestamp with time zone not null
table payment_counts
  account_id text not null
  address text not null
  type text not null
  shard bigint not null
  count bigint not null
table payment_hour_latencies
  account_id text not null
  hour timestamp with time zone not null
  payments json not null
table payment_hours
  account_id text not null
  hour timestamp with time zone not null
  network text not null
  asset text not null
  decimals smallint not null
  type text not null
  status text not null
  payments bigint not null
  amount numeric(78,0) not null
table payment_hours_kept
  account_id text not null
  since timestamp with time zone not null
  until timestamp with time zone not null
table payment_hours_late
  id bigint not null generated always as identity
  account_id text not null
  hour timestamp with time zone not null
table payment_identifiers
  account_id text not null
  payer text not null
  identifier text not null
  network text not null
  proof_key text not null
  reserved_at timestamp with time zone not null
table payment_tallies
  network text not null
  type text not null
  status text not null
  shard bigint not null
  count bigint not null
table payment_transactions
  payment_id text not null
  chain_transaction_id bigint not null
  effect_index integer not null
  without_effect boolean not null default false
table payments
  id text not null
  account_id text not null
  type text not null
  wallet_id text
  network text not null
  asset text not null
  amount numeric(78,0) not null
  decimals smallint not null
  sender text not null
  recipient text not null
  resource text
  metadata json
  priority_fee numeric(78,0)
  fee_ceiling numeric(78,0)
  commitment bytea
  status text not null default 'pending'::text
  sandbox boolean not null
  finality_violated boolean not null default false
  transaction_hash text
  block_height bigint
  block_hash text
  log_index integer
  fee_paid numeric(78,0)
  failure json
  created_at timestamp with time zone not null
  confirmed_at timestamp with time zone
  settled_at timestamp with time zone
  failed_at timestamp with time zone
  occurrence integer
  self_custody boolean not null default false
  abandoned_at timestamp with time zone
  remark json
  resource_start text default "left"(resource, 256)
  trade_id text
  stands_in text
  held_until timestamp with time zone
table plan_operations
  plan text not null
  operation text not null
  included boolean not null
table plans
  name text not null
  requests_per_minute integer
  event_sockets integer
  socket_messages_per_second integer
table policy_spend_changes
  id bigint not null generated always as identity
  wallet_id text not null
  account_id text not null
  network text not null
  asset text not null
  reserved_at timestamp with time zone not null
table policy_spend_sums
  wallet_id text not null
  account_id text not null
  network text not null
  asset text not null
  since timestamp with time zone not null
  until timestamp with time zone not null
  amount numeric(78,0) not null
  summed_at timestamp with time zone not null
table policy_spends
  payment_id text not null
  wallet_id text not null
  account_id text not null
  network text not null
  asset text not null
  amount numeric(78,0) not null
  reserved_at timestamp with time zone not null
  released_at timestamp with time zone
table purchases
  payment_id text not null
  account_id text not null
  wallet_id text not null
  network text not null
  request_digest bytea not null
  url text not null
  proof_key text not null
  stored json not null
  valid_before bigint
  last_valid_block_height bigint
  fee_payer text
  since_height bigint not null
  header_name text not null
  header text not null
  asking_until timestamp with time zone
  shown integer not null
  answer_status integer
  answer_headers json
  answer_body bytea
  delivered boolean not null default false
  joinable boolean not null default true
  used_hash text
  used_height bigint
  used_block_hash text
  used_log_index integer
  dead_height bigint
  look_at timestamp with time zone
  looks integer not null default 0
  created_at timestamp with time zone not null
  closed_at timestamp with time zone
  taken numeric(78,0)
table receiving_addresses
  id bigint not null generated always as identity
  account_id text not null
  family text not null
  address text not null
  label text
  registered_at timestamp with time zone not null
  deleted_at timestamp with time zone
table relays
  name text not null
  lease_owner text
  lease_until timestamp with time zone
  fence bigint not null default 0
table request_days
  account_id text not null
  day date not null
  requests bigint not null
table sessions
  id text not null
  token_digest bytea not null
  member_id text not null
  selected_account_id text
  role text
  is_operator boolean not null
  method text not null
  address text not null
  user_agent text not null
  created_at timestamp with time zone not null
  seen_at timestamp with time zone not null
  expires_at timestamp with time zone not null
  ended_at timestamp with time zone
table settlement_claims
  payment_id text not null
  account_id text not null
  network text not null
  proof_key text not null
  terms_digest bytea not null
  authorization json not null
  valid_before numeric(78,0)
  since_height bigint not null
  created_at timestamp with time zone not null
  look_at timestamp with time zone
  answered_at timestamp with time zone
  closed_at timestamp with time zone
  x402_version smallint
  answer_kept boolean not null default false
  facilitator text
  asked_at timestamp with time zone
  looks integer not null default 0
  built_until timestamp with time zone
  is_soft boolean not null default false
  catalogued boolean not null default false
  judged text[] not null default '{}'::text[]
table settler_wallets
  wallet_id text not null
  created_at timestamp with time zone not null
  retired_at timestamp with time zone
table sign_in_links
  digest bytea not null
  kind text not null
  member_id text
  account_id text
  created_at timestamp with time zone not null
  expires_at timestamp with time zone
  used_at timestamp with time zone
table sign_in_windows
  subject bytea not null
  attempts integer not null
  until timestamp with time zone not null
table sponsored_approvals
  network text not null
  hash text not null
  payer text not null
  asset text not null
  nonce numeric(20,0) not null
  raw bytea not null
  amount numeric(78,0) not null
  day date not null
  payment_id text
  sponsor_account_id text
  created_at timestamp with time zone not null
  holds_nonce boolean not null default true
table submissions
  network text not null
  hash text not null
  payment_id text not null
  account_id text not null
  raw bytea not null
  created_at timestamp with time zone not null
  last_sent_at timestamp with time zone
  last_verdict text
  due_at timestamp with time zone
  sends integer not null default 0
  is_approval boolean not null default false
table trades
  id text not null
  account_id text not null
  payment_id text not null
  side text not null
  network text not null
  wallet_address text not null
  mint text not null
  symbol text
  token_decimals smallint not null
  native_decimals smallint not null
  venue text not null
  amount_in numeric(78,0) not null
  quoted_out numeric(78,0) not null
  minimum_out numeric(78,0) not null
  received numeric(78,0)
  received_height bigint
  booked boolean not null default false
  slippage numeric(21,18) not null
  price_impact_basis_points numeric(78,0)
  quoted_height bigint not null
  route json not null
  created_at timestamp with time zone not null
  taken numeric(78,0)
  priority_fee_used numeric(78,0)
table unread_builds
  network text not null
  payment_id text not null
  hash text not null
  height bigint not null
  block_hash text not null
table unread_deposits
  network text not null
  hash text not null
  height bigint not null
  block_hash text not null
  address text not null
  since timestamp with time zone not null
  asks integer not null default 0
  ask_at timestamp with time zone not null
table wallet_policies
  wallet_id text not null
  account_id text not null
  rules json not null
  updated_at timestamp with time zone not null default now()
table wallets
  id text not null
  account_id text not null
  family text not null
  address text not null
  label text
  sealed_data_key bytea not null
  sealed_private_key bytea not null
  sandbox_instance text
  created_at timestamp with time zone not null default now()
  deleted_at timestamp with time zone
table webhook_deliveries
  position bigint not null generated always as identity
  id text not null
  account_id text not null
  webhook_id text not null
  event_id text not null
  type text not null
  lane text not null
  redelivery_of text
  body text not null
  status text not null default 'waiting'::text
  attempts integer not null default 0
  log json not null default '[]'::json
  due_at timestamp with time zone
  lease text
  created_at timestamp with time zone not null default now()
  ended_at timestamp with time zone
  first_taken_at timestamp with time zone
table webhook_givings
  account_id text not null
  last_sequence bigint not null
  given_sequence bigint not null
  webhooks json not null
  created_at timestamp with time zone not null default now()
table webhooks
  id text not null
  account_id text not null
  url text not null
  description text
  types text[] not null
  enabled boolean not null
  sealed_secret bytea not null
  sealed_previous_secret bytea
  previous_until timestamp with time zone
  failing_since timestamp with time zone
  in_trouble boolean not null default true
  paused_at timestamp with time zone
  pause_reason text
  created_at timestamp with time zone not null
  updated_at timestamp with time zone not null
  deleted_at timestamp with time zone
  taken_at timestamp with time zone
  resumed_at timestamp with time zone

-- constraints (what a column says itself, not null, stands above)

accounts accounts_enterprise_requests_per_minute_check: CHECK ((enterprise_requests_per_minute > 0))
accounts accounts_id_check: CHECK ((id ~ '^acct_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
accounts accounts_pkey: PRIMARY KEY (id)
accounts accounts_plan_fkey: FOREIGN KEY (plan) REFERENCES plans(name)
api_keys api_keys_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
api_keys api_keys_digest_check: CHECK ((octet_length(digest) = 32))
api_keys api_keys_digest_key: UNIQUE (digest)
api_keys api_keys_id_check: CHECK ((id ~ '^key_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
api_keys api_keys_last_four_check: CHECK ((length(last_four) = 4))
api_keys api_keys_mode_check: CHECK ((mode = ANY (ARRAY['live'::text, 'test'::text])))
api_keys api_keys_name_check: CHECK (((length(name) >= 1) AND (length(name) <= 100)))
api_keys api_keys_pkey: PRIMARY KEY (id)
api_keys api_keys_plan_check: CHECK ((plan = ANY (ARRAY['standard'::text, 'premium'::text, 'enterprise'::text])))
api_keys api_keys_plan_fkey: FOREIGN KEY (plan) REFERENCES plans(name)
api_keys api_keys_scopes_check: CHECK ((scopes <@ ARRAY['read'::text, 'write'::text, 'settle'::text, 'trade'::text, 'admin'::text]))
attempts attempts_chain_transaction_id_fkey: FOREIGN KEY (chain_transaction_id) REFERENCES chain_transactions(id)
attempts attempts_chain_transaction_id_number_key: UNIQUE (chain_transaction_id, number)
attempts attempts_network_hash_key: UNIQUE (network, hash)
attempts attempts_number_check: CHECK ((number >= 1))
attempts attempts_pkey: PRIMARY KEY (id)
attempts attempts_request_id_check: CHECK ((request_id ~ '^req_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
audit_log audit_log_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
audit_log audit_log_action_check: CHECK ((action ~ '^[a-z_]+\.[a-z_]+$'::text))
audit_log audit_log_actor_check: CHECK ((actor = ANY (ARRAY['member'::text, 'key'::text, 'system'::text])))
audit_log audit_log_check: CHECK (((actor = 'system'::text) = (actor_id IS NULL)))
audit_log audit_log_id_check: CHECK ((id ~ '^aud_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
audit_log audit_log_id_key: UNIQUE (id)
audit_log audit_log_pkey: PRIMARY KEY ("position")
build_nonces build_nonces_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
build_nonces build_nonces_nonce_check: CHECK ((nonce >= (0)::numeric))
build_nonces build_nonces_pkey: PRIMARY KEY (account_id, network, sender, nonce)
builds builds_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
builds builds_amount_check: CHECK ((amount > (0)::numeric))
builds builds_check: CHECK (((dead_height IS NULL) = (dead_reason IS NULL)))
builds builds_commitment_check: CHECK ((octet_length(commitment) = 32))
builds builds_dead_reason_check: CHECK ((dead_reason = ANY (ARRAY['nonce_used_by_another_transaction'::text, 'lifetime_over'::text, 'transaction_reverted'::text])))
builds builds_last_valid_block_height_check: CHECK ((last_valid_block_height >= 0))
builds builds_nonce_check: CHECK ((nonce >= (0)::numeric))
builds builds_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES payments(id) DEFERRABLE INITIALLY DEFERRED
builds builds_pkey: PRIMARY KEY (payment_id)
builds builds_proof_key_check: CHECK (((length(proof_key) >= 1) AND (length(proof_key) <= 200)))
catalogue_resources catalogue_resources_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
catalogue_resources catalogue_resources_account_id_resource_method_tool_name_key: UNIQUE (account_id, resource, method, tool_name)
catalogue_resources catalogue_resources_pkey: PRIMARY KEY (id)
catalogue_resources catalogue_resources_resource_check: CHECK ((octet_length(resource) <= 1024))
catalogue_resources catalogue_resources_settled_count_check: CHECK ((settled_count > 0))
catalogue_resources catalogue_resources_tool_name_check: CHECK ((char_length(tool_name) <= 128))
catalogue_resources catalogue_resources_type_check: CHECK ((type = ANY (ARRAY['http'::text, 'mcp'::text])))
catalogue_resources catalogue_resources_x402_version_check: CHECK ((x402_version = ANY (ARRAY[1, 2])))
chain_transactions chain_transactions_before_payment_fkey: FOREIGN KEY (before_payment) REFERENCES payments(id)
chain_transactions chain_transactions_check: CHECK (((state = ANY (ARRAY['mined'::text, 'final'::text])) = (mined_hash IS NOT NULL)))
chain_transactions chain_transactions_network_lane_address_fkey: FOREIGN KEY (network, lane_address) REFERENCES lanes(network, address)
chain_transactions chain_transactions_network_lane_address_nonce_key: UNIQUE (network, lane_address, nonce)
chain_transactions chain_transactions_pkey: PRIMARY KEY (id)
chain_transactions chain_transactions_state_check: CHECK ((state = ANY (ARRAY['open'::text, 'mined'::text, 'final'::text, 'dead'::text])))
effects effects_direction_check: CHECK ((direction = ANY (ARRAY['sent'::text, 'received'::text])))
effects effects_pkey: PRIMARY KEY (network, transaction_hash, effect_index, direction)
escrow_call_channels escrow_call_channels_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
escrow_call_channels escrow_call_channels_call_id_fkey: FOREIGN KEY (call_id) REFERENCES escrow_calls(id)
escrow_call_channels escrow_call_channels_pkey: PRIMARY KEY (account_id, channel_id, call_id)
escrow_calls escrow_calls_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
escrow_calls escrow_calls_amount_check: CHECK ((amount >= (0)::numeric))
escrow_calls escrow_calls_chain_transaction_id_fkey: FOREIGN KEY (chain_transaction_id) REFERENCES chain_transactions(id)
escrow_calls escrow_calls_claimed_check: CHECK ((claimed >= (0)::numeric))
escrow_calls escrow_calls_operation_check: CHECK ((operation = ANY (ARRAY['deposit'::text, 'claim'::text, 'settle'::text, 'refund'::text])))
escrow_calls escrow_calls_pkey: PRIMARY KEY (network, call_key)
escrow_calls escrow_calls_recorded: CHECK ((((id IS NULL) AND (status IS NULL)) OR ((id IS NOT NULL) AND (status IS NOT NULL) AND (asset IS NOT NULL) AND (receivers IS NOT NULL) AND (channel_ids IS NOT NULL))))
escrow_calls escrow_calls_status_check: CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'settled'::text, 'failed'::text])))
event_runs event_runs_check: CHECK ((last_sequence >= count))
event_runs event_runs_count_check: CHECK (((count >= 1) AND (count <= 128)))
event_runs event_runs_first_id_check: CHECK ((first_id ~ '^evt_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
event_runs event_runs_pkey: PRIMARY KEY (account_id, last_sequence)
event_sequences event_sequences_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
event_sequences event_sequences_pkey: PRIMARY KEY (account_id)
event_sequences event_sequences_sequence_check: CHECK ((sequence > 0))
event_tickets event_tickets_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
event_tickets event_tickets_digest_check: CHECK ((octet_length(digest) = 32))
event_tickets event_tickets_pkey: PRIMARY KEY (digest)
expiry_looks expiry_looks_attempt_id_fkey: FOREIGN KEY (attempt_id) REFERENCES attempts(id)
expiry_looks expiry_looks_pkey: PRIMARY KEY (attempt_id, node, looked_at)
followed_blocks followed_blocks_network_fkey: FOREIGN KEY (network) REFERENCES followers(network)
followed_blocks followed_blocks_pkey: PRIMARY KEY (network, height)
followers followers_pkey: PRIMARY KEY (network)
foreign_effects foreign_effects_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
foreign_effects foreign_effects_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES payments(id)
foreign_effects foreign_effects_pkey: PRIMARY KEY (network, transaction_hash, effect_index)
gap_fillings gap_fillings_chain_transaction_id_fkey: FOREIGN KEY (chain_transaction_id) REFERENCES chain_transactions(id)
gap_fillings gap_fillings_pkey: PRIMARY KEY (chain_transaction_id)
gas_budgets gas_budgets_pkey: PRIMARY KEY (network, day, subject)
gas_budgets gas_budgets_reserved_check: CHECK ((reserved >= (0)::numeric))
gas_budgets gas_budgets_subject_check: CHECK (((length(subject) >= 1) AND (length(subject) <= 200)))
idempotency_keys idempotency_keys_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
idempotency_keys idempotency_keys_fingerprint_check: CHECK ((octet_length(fingerprint) = 32))
idempotency_keys idempotency_keys_key_check: CHECK (((length(key) >= 1) AND (length(key) <= 255)))
idempotency_keys idempotency_keys_pkey: PRIMARY KEY (account_id, operation, key)
installation_secrets installation_secrets_pkey: PRIMARY KEY (name)
lanes lanes_check: CHECK (((state = 'frozen'::text) = (frozen_reason IS NOT NULL)))
lanes lanes_next_nonce_check: CHECK ((next_nonce >= 0))
lanes lanes_pkey: PRIMARY KEY (network, address)
lanes lanes_state_check: CHECK ((state = ANY (ARRAY['active'::text, 'frozen'::text])))
ledger_accounts ledger_accounts_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
ledger_accounts ledger_accounts_check: CHECK (((kind <> ALL (ARRAY['available'::text, 'held'::text])) OR ((balance + overdrawn) >= (0)::numeric)))
ledger_accounts ledger_accounts_kind_check: CHECK ((kind = ANY (ARRAY['available'::text, 'held'::text, 'external'::text, 'fees'::text, 'suspense'::text])))
ledger_accounts ledger_accounts_overdrawn: CHECK (((overdrawn = (0)::numeric) OR ((kind = 'available'::text) AND (overdrawn > (0)::numeric))))
ledger_accounts ledger_accounts_pkey: PRIMARY KEY (id)
ledger_accounts ledger_accounts_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
ledger_accounts ledger_accounts_wallet_id_network_asset_kind_key: UNIQUE (wallet_id, network, asset, kind)
ledger_entries ledger_entries_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
ledger_entries ledger_entries_amount_check: CHECK ((amount <> (0)::numeric))
ledger_entries ledger_entries_balance: TRIGGER DEFERRABLE INITIALLY DEFERRED
ledger_entries ledger_entries_ledger_account_id_fkey: FOREIGN KEY (ledger_account_id) REFERENCES ledger_accounts(id)
ledger_entries ledger_entries_pkey: PRIMARY KEY (transfer_id, ledger_account_id)
ledger_entries ledger_entries_transfer_id_fkey: FOREIGN KEY (transfer_id) REFERENCES ledger_transfers(id)
ledger_transfers ledger_transfers_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
ledger_transfers ledger_transfers_check: CHECK (((kind = ANY (ARRAY['funding'::text, 'correction'::text])) OR (payment_id IS NOT NULL)))
ledger_transfers ledger_transfers_kind_check: CHECK ((kind = ANY (ARRAY['funding'::text, 'hold'::text, 'post'::text, 'void'::text, 'correction'::text])))
ledger_transfers ledger_transfers_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES payments(id)
ledger_transfers ledger_transfers_pkey: PRIMARY KEY (id)
market_blocks market_blocks_network_fkey: FOREIGN KEY (network) REFERENCES market_followers(network)
market_blocks market_blocks_pkey: PRIMARY KEY (network, height)
market_candles market_candles_pkey: PRIMARY KEY (network, mint, seconds, start_at)
market_candles market_candles_seconds_check: CHECK ((seconds = ANY (ARRAY[60, 3600, 86400])))
market_candles market_candles_trades_check: CHECK ((trades > 0))
market_events market_events_event_id_check: CHECK ((event_id ~ '^evt_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
market_events market_events_pkey: PRIMARY KEY (id)
market_events market_events_type_check: CHECK ((type = ANY (ARRAY['trade'::text, 'newToken'::text, 'priceUpdate'::text])))
market_followers market_followers_height_check: CHECK ((height >= 0))
market_followers market_followers_pkey: PRIMARY KEY (network)
market_hub_states market_hub_states_check: CHECK ((hub <> mint))
market_hub_states market_hub_states_pkey: PRIMARY KEY (network, mint, market, height)
market_hub_states market_hub_states_quote_check: CHECK ((quote >= (0)::numeric))
market_hub_states market_hub_states_token_check: CHECK ((token >= (0)::numeric))
market_pools market_pools_pkey: PRIMARY KEY (network, market, mint)
market_reserves market_reserves_native_check: CHECK ((native >= (0)::numeric))
market_reserves market_reserves_pkey: PRIMARY KEY (network, mint, market, height)
market_reserves market_reserves_token_check: CHECK ((token >= (0)::numeric))
market_tokens market_tokens_decimals_check: CHECK (((decimals >= 0) AND (decimals <= 255)))
market_tokens market_tokens_pkey: PRIMARY KEY (network, mint)
market_trades market_trades_native_amount_check: CHECK ((native_amount > (0)::numeric))
market_trades market_trades_network_transaction_hash_effect_index_mint_key: UNIQUE (network, transaction_hash, effect_index, mint)
market_trades market_trades_pkey: PRIMARY KEY (id)
market_trades market_trades_price_check: CHECK ((price > (0)::numeric))
market_trades market_trades_side_check: CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text])))
market_trades market_trades_token_amount_check: CHECK ((token_amount > (0)::numeric))
members members_email_check: CHECK (((email = lower(email)) AND ((length(email) >= 3) AND (length(email) <= 254))))
members members_email_key: UNIQUE (email)
members members_id_check: CHECK ((id ~ '^mem_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
members members_name_check: CHECK (((length(name) >= 1) AND (length(name) <= 100)))
members members_pkey: PRIMARY KEY (id)
memberships memberships_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
memberships memberships_member_id_fkey: FOREIGN KEY (member_id) REFERENCES members(id)
memberships memberships_pkey: PRIMARY KEY (account_id, member_id)
memberships memberships_role_check: CHECK ((role = ANY (ARRAY['viewer'::text, 'developer'::text, 'owner'::text])))
migrations migrations_checksum_check: CHECK ((checksum ~ '^[0-9a-f]{64}$'::text))
migrations migrations_number_check: CHECK ((number >= 1))
migrations migrations_pkey: PRIMARY KEY (number)
outbox outbox_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
outbox outbox_count_check: CHECK (((count >= 1) AND (count <= 128)))
outbox outbox_pkey: PRIMARY KEY (id)
passkey_challenges passkey_challenges_digest_check: CHECK ((octet_length(digest) = 32))
passkey_challenges passkey_challenges_member_id_fkey: FOREIGN KEY (member_id) REFERENCES members(id)
passkey_challenges passkey_challenges_pkey: PRIMARY KEY (digest)
passkeys passkeys_counter_check: CHECK ((counter >= 0))
passkeys passkeys_credential_id_key: UNIQUE (credential_id)
passkeys passkeys_id_check: CHECK ((id ~ '^psk_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
passkeys passkeys_member_id_fkey: FOREIGN KEY (member_id) REFERENCES members(id)
passkeys passkeys_name_check: CHECK (((length(name) >= 1) AND (length(name) <= 100)))
passkeys passkeys_pkey: PRIMARY KEY (id)
passwords passwords_member_id_fkey: FOREIGN KEY (member_id) REFERENCES members(id)
passwords passwords_pkey: PRIMARY KEY (member_id)
payment_counts payment_counts_count_check: CHECK ((count > 0))
payment_counts payment_counts_pkey: PRIMARY KEY (account_id, address, type, shard)
payment_counts payment_counts_shard_check: CHECK ((shard >= 0))
payment_counts payment_counts_type_check: CHECK ((type = ANY (ARRAY['sent'::text, 'received'::text])))
payment_hour_latencies payment_hour_latencies_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
payment_hour_latencies payment_hour_latencies_pkey: PRIMARY KEY (account_id, hour)
payment_hours payment_hours_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
payment_hours payment_hours_payments_check: CHECK ((payments > 0))
payment_hours payment_hours_pkey: PRIMARY KEY (account_id, hour, network, asset, decimals, type, status)
payment_hours_kept payment_hours_kept_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
payment_hours_kept payment_hours_kept_check: CHECK ((since <= until))
payment_hours_kept payment_hours_kept_pkey: PRIMARY KEY (account_id)
payment_hours_late payment_hours_late_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
payment_hours_late payment_hours_late_pkey: PRIMARY KEY (id)
payment_identifiers payment_identifiers_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
payment_identifiers payment_identifiers_identifier_check: CHECK ((identifier ~ '^[a-zA-Z0-9_-]{16,128}$'::text))
payment_identifiers payment_identifiers_pkey: PRIMARY KEY (account_id, payer, identifier)
payment_tallies payment_tallies_pkey: PRIMARY KEY (network, type, status, shard)
payment_tallies payment_tallies_shard_check: CHECK ((shard >= 0))
payment_tallies payment_tallies_type_check: CHECK ((type = ANY (ARRAY['sent'::text, 'received'::text])))
payment_transactions payment_transactions_chain_transaction_id_effect_index_key: UNIQUE (chain_transaction_id, effect_index)
payment_transactions payment_transactions_effect_index_check: CHECK ((effect_index >= 0))
payment_transactions payment_transactions_pkey: PRIMARY KEY (payment_id, chain_transaction_id)
payments payments_amount_check: CHECK ((amount > (0)::numeric))
payments payments_check: CHECK (((status = ANY (ARRAY['confirmed'::text, 'settled'::text])) <= ((transaction_hash IS NOT NULL) AND (block_height IS NOT NULL))))
payments payments_check1: CHECK (((status = 'failed'::text) = (failure IS NOT NULL)))
payments payments_commitment_check: CHECK ((octet_length(commitment) = 32))
payments payments_decimals_check: CHECK (((decimals >= 0) AND (decimals <= 77)))
payments payments_deposit: CHECK (((occurrence IS NULL) OR ((type = 'received'::text) AND (transaction_hash IS NOT NULL) AND (wallet_id IS NOT NULL))))
payments payments_id_check: CHECK ((id ~ '^pay_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
payments payments_occurrence_check: CHECK ((occurrence >= 0))
payments payments_pkey: PRIMARY KEY (id)
payments payments_self_custody: CHECK (
CASE
    WHEN self_custody THEN ((wallet_id IS NULL) AND (fee_ceiling IS NULL))
    ELSE ((abandoned_at IS NULL) AND ((remark IS NULL) OR (type = 'sent'::text)))
END) NOT VALID
payments payments_status_check: CHECK ((status = ANY (ARRAY['pending'::text, 'confirmed'::text, 'settled'::text, 'failed'::text, 'expired'::text])))
payments payments_type_check: CHECK ((type = ANY (ARRAY['sent'::text, 'received'::text])))
payments payments_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
plan_operations plan_operations_operation_check: CHECK (((length(operation) >= 1) AND (length(operation) <= 100)))
plan_operations plan_operations_pkey: PRIMARY KEY (plan, operation)
plan_operations plan_operations_plan_fkey: FOREIGN KEY (plan) REFERENCES plans(name)
plans plans_event_sockets_check: CHECK ((event_sockets > 0))
plans plans_name_check: CHECK ((name = ANY (ARRAY['standard'::text, 'premium'::text, 'enterprise'::text])))
plans plans_pkey: PRIMARY KEY (name)
plans plans_requests_per_minute_check: CHECK ((requests_per_minute > 0))
plans plans_socket_messages_per_second_check: CHECK ((socket_messages_per_second > 0))
policy_spend_changes policy_spend_changes_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
policy_spend_changes policy_spend_changes_pkey: PRIMARY KEY (id)
policy_spend_changes policy_spend_changes_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
policy_spend_sums policy_spend_sums_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
policy_spend_sums policy_spend_sums_check: CHECK ((until >= since))
policy_spend_sums policy_spend_sums_pkey: PRIMARY KEY (wallet_id, network, asset, until)
policy_spend_sums policy_spend_sums_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
policy_spends policy_spends_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
policy_spends policy_spends_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES payments(id) DEFERRABLE INITIALLY DEFERRED
policy_spends policy_spends_pkey: PRIMARY KEY (payment_id)
policy_spends policy_spends_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
purchases purchases_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
purchases purchases_check: CHECK (((valid_before IS NULL) <> (last_valid_block_height IS NULL)))
purchases purchases_check1: CHECK ((((used_height IS NULL) = (used_hash IS NULL)) AND ((used_height IS NULL) = (used_block_hash IS NULL))))
purchases purchases_check2: CHECK ((NOT (joinable AND (delivered OR (closed_at IS NOT NULL)))))
purchases purchases_header_name_check: CHECK ((header_name = ANY (ARRAY['X-PAYMENT'::text, 'PAYMENT-SIGNATURE'::text])))
purchases purchases_network_proof_key_key: UNIQUE (network, proof_key)
purchases purchases_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES payments(id)
purchases purchases_pkey: PRIMARY KEY (payment_id)
purchases purchases_request_digest_check: CHECK ((octet_length(request_digest) = 32))
purchases purchases_shown_check: CHECK ((shown >= 0))
purchases purchases_taken: CHECK (((taken > (0)::numeric) AND (taken <= ((stored ->> 'permitted'::text))::numeric)))
purchases purchases_taken_used: CHECK (((taken IS NULL) OR (used_hash IS NOT NULL)))
purchases purchases_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
receiving_addresses receiving_addresses_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
receiving_addresses receiving_addresses_address_check: CHECK (((length(address) >= 1) AND (length(address) <= 128)))
receiving_addresses receiving_addresses_family_check: CHECK ((family = ANY (ARRAY['evm'::text, 'solana'::text])))
receiving_addresses receiving_addresses_label_check: CHECK (((length(label) >= 1) AND (length(label) <= 100)))
receiving_addresses receiving_addresses_pkey: PRIMARY KEY (id)
relays relays_pkey: PRIMARY KEY (name)
request_days request_days_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
request_days request_days_pkey: PRIMARY KEY (account_id, day)
request_days request_days_requests_check: CHECK ((requests >= 0))
sessions sessions_check: CHECK (((selected_account_id IS NULL) = (role IS NULL)))
sessions sessions_id_check: CHECK ((id ~ '^ses_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
sessions sessions_member_id_fkey: FOREIGN KEY (member_id) REFERENCES members(id)
sessions sessions_method_check: CHECK ((method = ANY (ARRAY['link'::text, 'password'::text, 'passkey'::text])))
sessions sessions_pkey: PRIMARY KEY (id)
sessions sessions_role_check: CHECK ((role = ANY (ARRAY['viewer'::text, 'developer'::text, 'owner'::text])))
sessions sessions_selected_account_id_fkey: FOREIGN KEY (selected_account_id) REFERENCES accounts(id)
sessions sessions_token_digest_check: CHECK ((octet_length(token_digest) = 32))
sessions sessions_token_digest_key: UNIQUE (token_digest)
sessions sessions_user_agent_check: CHECK ((length(user_agent) <= 200))
settlement_claims settlement_claims_facilitator_check: CHECK (((length(facilitator) >= 1) AND (length(facilitator) <= 2048)))
settlement_claims settlement_claims_looks_check: CHECK ((looks >= 0))
settlement_claims settlement_claims_network_proof_key_key: UNIQUE (network, proof_key)
settlement_claims settlement_claims_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES payments(id) DEFERRABLE INITIALLY DEFERRED
settlement_claims settlement_claims_pkey: PRIMARY KEY (payment_id)
settlement_claims settlement_claims_proof_key_check: CHECK (((length(proof_key) >= 1) AND (length(proof_key) <= 200)))
settlement_claims settlement_claims_since_height_check: CHECK ((since_height >= 0))
settlement_claims settlement_claims_soft: CHECK (((NOT is_soft) OR (built_until IS NOT NULL)))
settlement_claims settlement_claims_terms_digest_check: CHECK ((octet_length(terms_digest) = 32))
settlement_claims settlement_claims_x402_version_check: CHECK ((x402_version = ANY (ARRAY[1, 2])))
settler_wallets settler_wallets_pkey: PRIMARY KEY (wallet_id)
settler_wallets settler_wallets_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
sign_in_links sign_in_links_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
sign_in_links sign_in_links_check: CHECK (((kind = 'first_operator'::text) = (member_id IS NULL)))
sign_in_links sign_in_links_check1: CHECK (((kind = 'invitation'::text) = (account_id IS NOT NULL)))
sign_in_links sign_in_links_check2: CHECK (((kind = 'sandbox'::text) = (expires_at IS NULL)))
sign_in_links sign_in_links_digest_check: CHECK ((octet_length(digest) = 32))
sign_in_links sign_in_links_kind_check: CHECK ((kind = ANY (ARRAY['first_operator'::text, 'operator'::text, 'invitation'::text, 'sandbox'::text])))
sign_in_links sign_in_links_member_id_fkey: FOREIGN KEY (member_id) REFERENCES members(id)
sign_in_links sign_in_links_pkey: PRIMARY KEY (digest)
sign_in_windows sign_in_windows_attempts_check: CHECK ((attempts >= 0))
sign_in_windows sign_in_windows_pkey: PRIMARY KEY (subject)
sign_in_windows sign_in_windows_subject_check: CHECK ((octet_length(subject) = 32))
sponsored_approvals sponsored_approvals_amount_check: CHECK ((amount >= (0)::numeric))
sponsored_approvals sponsored_approvals_check: CHECK (((payment_id IS NULL) = (sponsor_account_id IS NULL)))
sponsored_approvals sponsored_approvals_check1: CHECK (((payment_id IS NULL) OR (amount > (0)::numeric)))
sponsored_approvals sponsored_approvals_payment_id_key: UNIQUE (payment_id)
sponsored_approvals sponsored_approvals_pkey: PRIMARY KEY (network, hash)
submissions submissions_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
submissions submissions_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES builds(payment_id)
submissions submissions_pkey: PRIMARY KEY (network, hash, payment_id)
submissions submissions_sends_check: CHECK ((sends >= 0))
trades trades_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
trades trades_amount_in_check: CHECK ((amount_in > (0)::numeric))
trades trades_minimum_out_check: CHECK ((minimum_out > (0)::numeric))
trades trades_native_decimals_check: CHECK ((native_decimals >= 0))
trades trades_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES payments(id)
trades trades_payment_id_key: UNIQUE (payment_id)
trades trades_pkey: PRIMARY KEY (id)
trades trades_priority_fee_used_check: CHECK ((priority_fee_used >= (0)::numeric))
trades trades_quoted_out_check: CHECK ((quoted_out > (0)::numeric))
trades trades_received_check: CHECK ((received > (0)::numeric))
trades trades_side_check: CHECK ((side = ANY (ARRAY['buy'::text, 'sell'::text])))
trades trades_slippage_check: CHECK (((slippage > (0)::numeric) AND (slippage < (100)::numeric)))
trades trades_taken: CHECK (((taken > (0)::numeric) AND (taken <= amount_in)))
trades trades_taken_received: CHECK (((taken IS NULL) OR (received IS NOT NULL)))
trades trades_token_decimals_check: CHECK ((token_decimals >= 0))
unread_builds unread_builds_payment_id_fkey: FOREIGN KEY (payment_id) REFERENCES builds(payment_id)
unread_builds unread_builds_pkey: PRIMARY KEY (payment_id, hash)
unread_deposits unread_deposits_pkey: PRIMARY KEY (network, hash)
wallet_policies wallet_policies_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
wallet_policies wallet_policies_pkey: PRIMARY KEY (wallet_id)
wallet_policies wallet_policies_wallet_id_fkey: FOREIGN KEY (wallet_id) REFERENCES wallets(id)
wallets wallets_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
wallets wallets_family_address_key: UNIQUE (family, address)
wallets wallets_family_check: CHECK ((family = ANY (ARRAY['evm'::text, 'solana'::text])))
wallets wallets_id_check: CHECK ((id ~ '^wal_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
wallets wallets_label_check: CHECK ((length(label) <= 100))
wallets wallets_pkey: PRIMARY KEY (id)
webhook_deliveries webhook_deliveries_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
webhook_deliveries webhook_deliveries_attempts_check: CHECK ((attempts >= 0))
webhook_deliveries webhook_deliveries_check: CHECK (((status = 'waiting'::text) = (ended_at IS NULL)))
webhook_deliveries webhook_deliveries_check1: CHECK (((status = 'waiting'::text) OR ((due_at IS NULL) AND (lease IS NULL))))
webhook_deliveries webhook_deliveries_id_check: CHECK ((id ~ '^dlv_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
webhook_deliveries webhook_deliveries_id_key: UNIQUE (id)
webhook_deliveries webhook_deliveries_pkey: PRIMARY KEY ("position")
webhook_deliveries webhook_deliveries_status_check: CHECK ((status = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text])))
webhook_deliveries webhook_deliveries_webhook_id_fkey: FOREIGN KEY (webhook_id) REFERENCES webhooks(id)
webhook_givings webhook_givings_check: CHECK ((given_sequence < last_sequence))
webhook_givings webhook_givings_pkey: PRIMARY KEY (account_id, last_sequence)
webhooks webhooks_account_id_fkey: FOREIGN KEY (account_id) REFERENCES accounts(id)
webhooks webhooks_check: CHECK (((sealed_previous_secret IS NULL) = (previous_until IS NULL)))
webhooks webhooks_check1: CHECK (((paused_at IS NULL) = (pause_reason IS NULL)))
webhooks webhooks_description_check: CHECK (((length(description) >= 1) AND (length(description) <= 200)))
webhooks webhooks_id_check: CHECK ((id ~ '^whk_[1-9A-HJ-NP-Za-km-z]{22}$'::text))
webhooks webhooks_pause_reason_check: CHECK ((pause_reason = ANY (ARRAY['failing'::text, 'gone'::text])))
webhooks webhooks_pkey: PRIMARY KEY (id)
webhooks webhooks_url_check: CHECK (((length(url) >= 1) AND (length(url) <= 2048)))

-- indexes (those of primary keys and unique constraints stand above)

CREATE INDEX api_keys_by_account ON public.api_keys USING btree (account_id, created_at)
CREATE INDEX audit_log_by_account ON public.audit_log USING btree (account_id, "position" DESC)
CREATE INDEX build_nonces_by_age ON public.build_nonces USING btree (expires_at)
CREATE UNIQUE INDEX builds_by_commitment ON public.builds USING btree (network, commitment) WHERE (commitment IS NOT NULL)
CREATE INDEX builds_by_proof ON public.builds USING btree (network, proof_key) WHERE ((proof_key IS NOT NULL) AND (closed_at IS NULL))
CREATE INDEX builds_due ON public.builds USING btree (network, account_id, look_at) WHERE ((closed_at IS NULL) AND (dead_height IS NULL) AND (seen_height IS NULL) AND (look_at < 'infinity'::timestamp with time zone))
CREATE INDEX builds_dying ON public.builds USING btree (network, dead_height) WHERE ((closed_at IS NULL) AND (dead_height IS NOT NULL))
CREATE INDEX builds_live ON public.builds USING btree (network, sender) WHERE (closed_at IS NULL)
CREATE INDEX builds_live_of_place ON public.builds USING btree (network, sender, nonce_text, created_at) WHERE ((nonce_text IS NOT NULL) AND (closed_at IS NULL) AND (seen_height IS NULL))
CREATE INDEX builds_noted ON public.builds USING btree (network, looked_at) WHERE ((closed_at IS NULL) AND (dead_height IS NULL) AND (seen_height IS NULL))
CREATE INDEX builds_of_account_by_place ON public.builds USING btree (network, sender, nonce_text, account_id, created_at) WHERE (nonce_text IS NOT NULL)
CREATE INDEX builds_seen ON public.builds USING btree (network, seen_height) WHERE ((closed_at IS NULL) AND (seen_height IS NOT NULL))
CREATE INDEX builds_unmarked ON public.builds USING btree (network, sender, unmarked_terms, account_id, created_at, payment_id) WHERE ((unmarked_terms IS NOT NULL) AND (closed_at IS NULL) AND (seen_height IS NULL))
CREATE INDEX catalogue_resources_settled ON public.catalogue_resources USING btree (account_id, last_settled_at)
CREATE UNIQUE INDEX chain_transactions_before_payment ON public.chain_transactions USING btree (before_payment) WHERE (before_payment IS NOT NULL)
CREATE INDEX chain_transactions_open ON public.chain_transactions USING btree (network, lane_address, nonce) WHERE (state = ANY (ARRAY['open'::text, 'mined'::text]))
CREATE INDEX escrow_calls_by_given_key ON public.escrow_calls USING btree (account_id, given_key) WHERE (given_key IS NOT NULL)
CREATE INDEX escrow_calls_by_place ON public.escrow_calls USING btree (chain_transaction_id)
CREATE INDEX escrow_calls_by_subject ON public.escrow_calls USING btree (network, subject, created_at) WHERE (subject IS NOT NULL)
CREATE INDEX escrow_calls_not_settled ON public.escrow_calls USING btree (account_id, created_at, id) WHERE (status <> 'settled'::text)
CREATE INDEX escrow_calls_of_account ON public.escrow_calls USING btree (account_id, created_at, id) WHERE (id IS NOT NULL)
CREATE INDEX escrow_calls_of_kind ON public.escrow_calls USING btree (account_id, operation, created_at, id) WHERE (id IS NOT NULL)
CREATE INDEX escrow_calls_under_way ON public.escrow_calls USING btree (network, id) WHERE (status = ANY (ARRAY['pending'::text, 'confirmed'::text]))
CREATE UNIQUE INDEX event_runs_by_id ON public.event_runs USING btree (account_id, first_id)
CREATE INDEX event_runs_oldest ON public.event_runs USING btree (numbered_at)
CREATE INDEX event_tickets_by_age ON public.event_tickets USING btree (expires_at)
CREATE INDEX foreign_effects_of_payment ON public.foreign_effects USING btree (payment_id)
CREATE INDEX gap_fillings_of_lane ON public.gap_fillings USING btree (network, lane_address)
CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at)
CREATE INDEX lanes_frozen ON public.lanes USING btree (network) WHERE (state = 'frozen'::text)
CREATE UNIQUE INDEX ledger_closed_once ON public.ledger_transfers USING btree (payment_id, asset) WHERE (kind = ANY (ARRAY['post'::text, 'void'::text]))
CREATE INDEX ledger_entries_by_account ON public.ledger_entries USING btree (ledger_account_id)
CREATE UNIQUE INDEX ledger_holds_once ON public.ledger_transfers USING btree (payment_id, asset) WHERE (kind = 'hold'::text)
CREATE INDEX market_candles_by_age ON public.market_candles USING btree (seconds, start_at)
CREATE INDEX market_events_by_age ON public.market_events USING btree (at)
CREATE INDEX market_events_by_network ON public.market_events USING btree (network, id)
CREATE INDEX market_hub_states_by_age ON public.market_hub_states USING btree (at) WHERE (NOT held)
CREATE INDEX market_hub_states_by_height ON public.market_hub_states USING btree (network, height)
CREATE INDEX market_pools_by_height ON public.market_pools USING btree (network, height)
CREATE INDEX market_pools_by_mint ON public.market_pools USING btree (network, mint)
CREATE INDEX market_reserves_by_height ON public.market_reserves USING btree (network, height)
CREATE INDEX market_trades_by_height ON public.market_trades USING btree (network, height)
CREATE INDEX market_trades_by_mint ON public.market_trades USING btree (network, mint, height DESC, id DESC)
CREATE INDEX market_trades_by_time ON public.market_trades USING btree (network, mint, traded_at)
CREATE INDEX market_trades_oldest ON public.market_trades USING btree (traded_at)
CREATE INDEX memberships_by_member ON public.memberships USING btree (member_id)
CREATE INDEX passkey_challenges_by_age ON public.passkey_challenges USING btree (expires_at)
CREATE INDEX passkeys_by_member ON public.passkeys USING btree (member_id, created_at)
CREATE INDEX payment_hours_late_by_account ON public.payment_hours_late USING btree (account_id, hour)
CREATE INDEX payment_identifiers_reserved ON public.payment_identifiers USING btree (reserved_at)
CREATE INDEX payments_awaited ON public.payments USING btree (account_id, recipient, sender, amount) WHERE ((type = 'received'::text) AND (status = 'pending'::text) AND (occurrence IS NULL) AND (transaction_hash IS NULL))
CREATE INDEX payments_built_confirmed ON public.payments USING btree (network, block_height) WHERE (self_custody AND (status = 'confirmed'::text))
CREATE INDEX payments_built_settled ON public.payments USING btree (network, block_height) WHERE (self_custody AND (status = 'settled'::text))
CREATE INDEX payments_by_account ON public.payments USING btree (account_id, created_at DESC, id DESC)
CREATE INDEX payments_by_commitment ON public.payments USING btree (commitment) WHERE (commitment IS NOT NULL)
CREATE INDEX payments_by_transaction ON public.payments USING btree (transaction_hash) WHERE (transaction_hash IS NOT NULL)
CREATE UNIQUE INDEX payments_deposit_once ON public.payments USING btree (network, transaction_hash, recipient, asset, sender, amount, occurrence) WHERE ((type = 'received'::text) AND (occurrence IS NOT NULL))
CREATE INDEX payments_deposits_confirmed ON public.payments USING btree (network, block_height) WHERE ((occurrence IS NOT NULL) AND (status = 'confirmed'::text))
CREATE INDEX payments_deposits_settled ON public.payments USING btree (network, block_height) WHERE ((occurrence IS NOT NULL) AND (status = 'settled'::text))
CREATE INDEX payments_mined ON public.payments USING btree (wallet_id, network, block_height) WHERE ((type = 'sent'::text) AND (block_height IS NOT NULL))
CREATE INDEX payments_open_of_wallet ON public.payments USING btree (wallet_id, network) WHERE ((status = ANY (ARRAY['pending'::text, 'confirmed'::text])) AND (wallet_id IS NOT NULL))
CREATE INDEX payments_received ON public.payments USING btree (account_id, recipient, created_at DESC, id DESC) WHERE (type = 'received'::text)
CREATE INDEX payments_received_for ON public.payments USING btree (account_id, recipient, resource_start, created_at DESC, id DESC) WHERE ((type = 'received'::text) AND (resource IS NOT NULL))
CREATE INDEX payments_received_unsettled ON public.payments USING btree (account_id, recipient, status, created_at DESC, id DESC) WHERE ((type = 'received'::text) AND (status <> 'settled'::text))
CREATE INDEX payments_sent ON public.payments USING btree (account_id, sender, created_at DESC, id DESC) WHERE (type = 'sent'::text)
CREATE INDEX payments_sent_for ON public.payments USING btree (account_id, sender, resource_start, created_at DESC, id DESC) WHERE ((type = 'sent'::text) AND (resource IS NOT NULL))
CREATE INDEX payments_sent_unsettled ON public.payments USING btree (account_id, sender, status, created_at DESC, id DESC) WHERE ((type = 'sent'::text) AND (status <> 'settled'::text))
CREATE INDEX payments_uncommitted ON public.payments USING btree (account_id, sender, recipient, amount) WHERE ((type = 'sent'::text) AND (commitment IS NULL))
CREATE INDEX payments_unsettled ON public.payments USING btree (account_id, status, created_at DESC, id DESC) WHERE (status <> 'settled'::text)
CREATE INDEX policy_spend_changes_by_wallet ON public.policy_spend_changes USING btree (wallet_id, network, asset, reserved_at)
CREATE INDEX policy_spends_by_wallet ON public.policy_spends USING btree (wallet_id, network, asset, reserved_at) WHERE (released_at IS NULL)
CREATE INDEX purchases_answered ON public.purchases USING btree (closed_at) WHERE (answer_body IS NOT NULL)
CREATE UNIQUE INDEX purchases_effect ON public.purchases USING btree (network, used_hash, used_log_index) WHERE (used_hash IS NOT NULL)
CREATE INDEX purchases_fee_payers ON public.purchases USING btree (network, fee_payer) WHERE ((closed_at IS NULL) AND (fee_payer IS NOT NULL))
CREATE UNIQUE INDEX purchases_joinable ON public.purchases USING btree (wallet_id, network, request_digest) WHERE joinable
CREATE INDEX purchases_open ON public.purchases USING btree (network, look_at NULLS FIRST) WHERE (closed_at IS NULL)
CREATE INDEX purchases_silent ON public.purchases USING btree (network, account_id) WHERE ((closed_at IS NULL) AND (used_height IS NULL) AND (dead_height IS NULL))
CREATE INDEX purchases_used ON public.purchases USING btree (network, used_height) WHERE ((closed_at IS NULL) AND (used_height IS NOT NULL))
CREATE INDEX receiving_addresses_by_account ON public.receiving_addresses USING btree (account_id, registered_at)
CREATE UNIQUE INDEX receiving_addresses_live ON public.receiving_addresses USING btree (family, address) WHERE (deleted_at IS NULL)
CREATE INDEX request_days_by_age ON public.request_days USING btree (day)
CREATE INDEX sessions_by_age ON public.sessions USING btree (expires_at)
CREATE INDEX sessions_by_member ON public.sessions USING btree (member_id, created_at DESC)
CREATE INDEX settlement_claims_open ON public.settlement_claims USING btree (network, look_at NULLS FIRST, created_at) WHERE (closed_at IS NULL)
CREATE INDEX sign_in_links_by_member ON public.sign_in_links USING btree (member_id, account_id) WHERE (used_at IS NULL)
CREATE INDEX sign_in_windows_by_age ON public.sign_in_windows USING btree (until)
CREATE INDEX sponsored_approvals_given ON public.sponsored_approvals USING btree (created_at) WHERE (payment_id IS NOT NULL)
CREATE UNIQUE INDEX sponsored_approvals_of_day ON public.sponsored_approvals USING btree (network, payer, asset, day) WHERE (amount > (0)::numeric)
CREATE UNIQUE INDEX sponsored_approvals_of_nonce ON public.sponsored_approvals USING btree (network, payer, nonce) WHERE ((amount > (0)::numeric) AND holds_nonce)
CREATE INDEX sponsored_approvals_unpaid ON public.sponsored_approvals USING btree (created_at) WHERE (payment_id IS NULL)
CREATE INDEX submissions_by_payment ON public.submissions USING btree (payment_id, created_at)
CREATE INDEX submissions_due ON public.submissions USING btree (network, due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX trades_of_wallet ON public.trades USING btree (account_id, wallet_address, created_at DESC, id DESC)
CREATE INDEX trades_unbooked ON public.trades USING btree (wallet_address, network) WHERE ((received IS NOT NULL) AND (NOT booked))
CREATE INDEX unread_builds_above ON public.unread_builds USING btree (network, height)
CREATE INDEX unread_builds_in_turn ON public.unread_builds USING btree (network, payment_id, hash)
CREATE INDEX unread_deposits_above ON public.unread_deposits USING btree (network, height)
CREATE INDEX unread_deposits_due ON public.unread_deposits USING btree (network, ask_at)
CREATE INDEX wallets_by_account ON public.wallets USING btree (account_id, created_at)
CREATE INDEX webhook_deliveries_again ON public.webhook_deliveries USING btree (webhook_id) WHERE ((status = 'waiting'::text) AND (redelivery_of IS NOT NULL))
CREATE INDEX webhook_deliveries_by_age ON public.webhook_deliveries USING btree (created_at)
CREATE INDEX webhook_deliveries_by_webhook ON public.webhook_deliveries USING btree (webhook_id, "position" DESC)
CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (webhook_id, due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX webhook_deliveries_lanes ON public.webhook_deliveries USING btree (webhook_id, lane, "position") WHERE (status = 'waiting'::text)
CREATE INDEX webhook_deliveries_leased ON public.webhook_deliveries USING btree (webhook_id) WHERE (lease IS NOT NULL)
CREATE INDEX webhook_givings_by_age ON public.webhook_givings USING btree (created_at)
CREATE INDEX webhooks_by_account ON public.webhooks USING btree (account_id, created_at) WHERE (deleted_at IS NULL)

-- functions

CREATE OR REPLACE FUNCTION public.count_new_payments()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  shards constant integer := 64;
  counting constant integer := 7364985; -- "pay" in ASCII
  own bigint := pg_backend_pid() % shards;
  tried integer := 1;
begin
  while not pg_try_advisory_xact_lock(counting, own::integer) loop
    if tried = shards then
      own := shards + pg_current_xact_id()::text::bigint;
      exit;
    end if;
    own := (own + 1) % shards;
    tried := tried + 1;
  end loop;
  insert into payment_counts as counted (account_id, address, type, shard, count)
  select account_id, case type when 'sent' then sender else recipient end, type, own, count(*)
  from added group by 1, 2, 3
  on conflict (account_id, address, type, shard) do update set count = counted.count + excluded.count;
  return null;
end $function$
CREATE OR REPLACE FUNCTION public.ledger_transfer_balances()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if (select coalesce(sum(amount), 0) from ledger_entries
      where transfer_id = new.transfer_id and network = new.network and asset = new.asset) <> 0
     or exists (select from ledger_entries e join ledger_transfers t on t.id = e.transfer_id
                where e.transfer_id = new.transfer_id and (e.asset <> t.asset or e.network <> t.network)) then
    raise exception 'ledger transfer % does not balance', new.transfer_id using errcode = 'check_violation';
  end if;
  return null;
end $function$
CREATE OR REPLACE FUNCTION public.note_late_payment()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
begin
  insert into payment_hours_late (account_id, hour)
  values (new.account_id, date_bin('1 hour', new.created_at, 'epoch'));
  return null;
end $function$
CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $function$
CREATE OR REPLACE FUNCTION public.tally_payments()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public', 'pg_temp'
AS $function$
declare
  shards constant integer := 64;
  tallying constant integer := 7627116; -- "tal" in ASCII
  own bigint := pg_backend_pid() % shards;
  tried integer := 1;
begin
  while not pg_try_advisory_xact_lock(tallying, own::integer) loop
    if tried = shards then
      own := shards + pg_current_xact_id()::text::bigint;
      exit;
    end if;
    own := (own + 1) % shards;
    tried := tried + 1;
  end loop;
  if tg_op = 'INSERT' then
    insert into payment_tallies as tally (network, type, status, shard, count)
    select network, type, status, own, count(*) from after group by 1, 2, 3
    on conflict (network, type, status, shard) do update set count = tally.count + excluded.count;
  else
    insert into payment_tallies as tally (network, type, status, shard, count)
    select network, type, status, own, sum(change)
    from (select network, type, status, -1 as change from before
          union all select network, type, status, 1 from after) changes
    group by 1, 2, 3 having sum(change) <> 0
    on conflict (network, type, status, shard) do update set count = tally.count + excluded.count;
  end if;
  return null;
end $function$

-- triggers

CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
CREATE CONSTRAINT TRIGGER ledger_entries_balance AFTER INSERT ON public.ledger_entries DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger_transfer_balances()
CREATE TRIGGER ledger_transfers_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.ledger_transfers FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()
CREATE TRIGGER payments_changed_late AFTER UPDATE ON public.payments FOR EACH ROW WHEN (((new.created_at < (now() - '01:00:00'::interval)) AND ((new.status IS DISTINCT FROM old.status) OR (new.confirmed_at IS DISTINCT FROM old.confirmed_at) OR (new.occurrence IS DISTINCT FROM old.occurrence) OR (new.amount IS DISTINCT FROM old.amount)))) EXECUTE FUNCTION note_late_payment()
CREATE TRIGGER payments_counted AFTER INSERT ON public.payments REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION count_new_payments()
CREATE TRIGGER payments_stored_late AFTER INSERT ON public.payments FOR EACH ROW WHEN ((new.created_at < (now() - '01:00:00'::interval))) EXECUTE FUNCTION note_late_payment()
CREATE TRIGGER payments_tallied_in AFTER INSERT ON public.payments REFERENCING NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_payments()
CREATE TRIGGER payments_tallied_on AFTER UPDATE ON public.payments REFERENCING OLD TABLE AS before NEW TABLE AS after FOR EACH STATEMENT EXECUTE FUNCTION tally_payments()

-- row security policies

accounts accounts_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
api_keys api_keys_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
audit_log audit_log_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
build_nonces build_nonces_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
builds builds_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
catalogue_resources catalogue_resources_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
effects effects_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
escrow_call_channels escrow_call_channels_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
escrow_calls escrow_calls_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
event_runs event_runs_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
event_sequences event_sequences_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
event_tickets event_tickets_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
foreign_effects foreign_effects_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
idempotency_keys idempotency_keys_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
ledger_accounts ledger_accounts_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
ledger_entries ledger_entries_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
ledger_transfers ledger_transfers_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
members members_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text) OR (EXISTS ( SELECT
   FROM memberships
  WHERE ((memberships.member_id = members.id) AND (memberships.account_id = ( SELECT current_setting('app.account_id'::text, true) AS current_setting))))))) with check ()
memberships memberships_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
outbox outbox_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
passkey_challenges passkey_challenges_of_service: ALL to {florin_service} using ((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text)) with check ()
passkeys passkeys_of_service: ALL to {florin_service} using ((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text)) with check ()
passwords passwords_of_service: ALL to {florin_service} using ((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text)) with check ()
payment_counts payment_counts_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
payment_hour_latencies payment_hour_latencies_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
payment_hours payment_hours_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
payment_hours_kept payment_hours_kept_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
payment_hours_late payment_hours_late_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
payment_identifiers payment_identifiers_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
payments payments_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
policy_spend_changes policy_spend_changes_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
policy_spend_sums policy_spend_sums_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
policy_spends policy_spends_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
purchases purchases_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
receiving_addresses receiving_addresses_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
request_days request_days_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
sessions sessions_of_service: ALL to {florin_service} using ((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text)) with check ()
settlement_claims settlement_claims_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
sign_in_links sign_in_links_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
sign_in_windows sign_in_windows_of_service: ALL to {florin_service} using ((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text)) with check ()
submissions submissions_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
trades trades_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
wallet_policies wallet_policies_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
wallets wallets_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
webhook_deliveries webhook_deliveries_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
webhook_givings webhook_givings_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()
webhooks webhooks_of_account: ALL to {florin_service} using (((( SELECT current_setting('app.account_id'::text, true) AS current_setting) = account_id) OR (( SELECT current_setting('app.account_id'::text, true) AS current_setting) = 'service'::text))) with check ()

-- rights

accounts: grant insert, select, update to florin_service
api_keys: grant insert, select, update to florin_service
attempts: grant insert, select, update to florin_service
attempts_id_seq: grant usage to florin_service
audit_log: grant insert, select to florin_service
audit_log_position_seq: grant usage to florin_service
build_nonces: grant delete, insert, select, update to florin_service
builds: grant insert, select, update to florin_service
catalogue_resources: grant delete, insert, select, update to florin_service
chain_transactions: grant insert, select, update to florin_service
chain_transactions_id_seq: grant usage to florin_service
effects: grant insert, select to florin_service
escrow_call_channels: grant insert, select to florin_service
escrow_calls: grant insert, select, update to florin_service
event_runs: grant delete, insert, select to florin_service
event_sequences: grant insert, select, update to florin_service
event_tickets: grant delete, insert, select to florin_service
expiry_looks: grant insert, select to florin_service
followed_blocks: grant delete, insert, select, update to florin_service
followers: grant delete, insert, select, update to florin_service
foreign_effects: grant delete, insert, select, update to florin_service
gap_fillings: grant insert, select, update to florin_service
gas_budgets: grant delete, insert, select, update to florin_service
idempotency_keys: grant delete, insert, select, update to florin_service
installation_secrets: grant delete, insert, select, update to florin_service
lanes: grant insert, select, update to florin_service
ledger_accounts: grant insert, select, update to florin_service
ledger_accounts_id_seq: grant usage to florin_service
ledger_entries: grant insert, select to florin_service
ledger_transfers: grant insert, select to florin_service
ledger_transfers_id_seq: grant usage to florin_service
market_blocks: grant delete, insert, select to florin_service
market_candles: grant delete, insert, select, update to florin_service
market_events: grant delete, insert, select to florin_service
market_followers: grant insert, select, update to florin_service
market_hub_states: grant delete, insert, select, update to florin_service
market_pools: grant delete, insert, select, update to florin_service
market_reserves: grant delete, insert, select, update to florin_service
market_tokens: grant insert, select, update to florin_service
market_trades: grant delete, insert, select to florin_service
members: grant insert, select, update to florin_service
memberships: grant delete, insert, select, update to florin_service
migrations: grant select to florin_service
outbox: grant delete, insert, select, update to florin_service
outbox_id_seq: grant usage to florin_service
passkey_challenges: grant delete, insert, select to florin_service
passkeys: grant delete, insert, select, update to florin_service
passwords: grant delete, insert, select, update to florin_service
payment_counts: grant select to florin_service
payment_hour_latencies: grant delete, insert, select to florin_service
payment_hours: grant delete, insert, select to florin_service
payment_hours_kept: grant insert, select, update to florin_service
payment_hours_late: grant delete, select to florin_service
payment_identifiers: grant delete, insert, select, update to florin_service
payment_tallies: grant select to florin_service
payment_transactions: grant insert, select, update to florin_service
payments: grant insert, select, update to florin_service
plan_operations: grant delete, insert, select, update to florin_service
plans: grant select, update to florin_service
policy_spend_changes: grant delete, insert, select to florin_service
policy_spend_sums: grant delete, insert, select, update to florin_service
policy_spends: grant insert, select, update to florin_service
purchases: grant insert, select, update to florin_service
receiving_addresses: grant insert, select, update to florin_service
receiving_addresses_id_seq: grant usage to florin_service
relays: grant select, update to florin_service
request_days: grant delete, insert, select, update to florin_service
sessions: grant delete, insert, select, update to florin_service
settlement_claims: grant insert, select, update to florin_service
settler_wallets: grant insert, select, update to florin_service
sign_in_links: grant delete, insert, select, update to florin_service
sign_in_windows: grant delete, insert, select, update to florin_service
sponsored_approvals: grant delete, insert, select, update to florin_service
submissions: grant insert, select, update to florin_service
trades: grant insert, select, update to florin_service
unread_builds: grant delete, insert, select to florin_service
unread_deposits: grant delete, insert, select, update to florin_service
wallet_policies: grant delete, insert, select, update to florin_service
wallets: grant insert, select, update to florin_service
webhook_deliveries: grant delete, insert, select, update to florin_service
webhook_deliveries_position_seq: grant usage to florin_service
webhook_givings: grant delete, insert, select, update to florin_service
webhooks: grant insert, select, update to florin_service
