/** Which room owns which tables: only it may read or write them in SQL. A new table needs a row here. */
export const TABLE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  store: ['migrations'],
  access: ['accounts', 'api_keys', 'plans', 'plan_operations'],
  audit: ['audit_log'],
  people: [
    'members',
    'memberships',
    'passwords',
    'passkeys',
    'passkey_challenges',
    'sign_in_links',
    'sessions',
    'sign_in_windows',
  ],
  custody: ['installation_secrets', 'wallets', 'receiving_addresses'],
  policies: ['wallet_policies', 'policy_spends'],
  ledger: ['ledger_accounts', 'ledger_transfers', 'ledger_entries'],
  events: ['outbox', 'events', 'event_sequences', 'relays', 'event_tickets'],
  idempotency: ['idempotency_keys'],
  sender: [
    'lanes',
    'chain_transactions',
    'attempts',
    'payment_transactions',
    'followers',
    'followed_blocks',
    'expiry_looks',
  ],
  markets: [
    'market_followers',
    'market_blocks',
    'market_tokens',
    'market_pools',
    'market_reserves',
    'market_trades',
    'market_candles',
    'market_events',
  ],
  catalogue: ['catalogue_resources'],
  facilitator: ['settler_wallets', 'settlement_claims', 'gas_budgets', 'payment_identifiers'],
  transactions: ['builds', 'build_nonces', 'submissions'],
  webhooks: ['webhooks', 'webhook_deliveries'],
  trading: ['trades'],
  purchases: ['purchases'],
  reports: ['request_days'],
  payments: [
    'payments',
    'effects',
    'payment_counts',
    'payment_tallies',
    'payment_hours',
    'payment_hour_latencies',
    'payment_hours_kept',
    'payment_hours_late',
  ],
}

/** Files that may read every table, and write none, each with its reason. */
export const SEES_EVERY_TABLE: Readonly<Record<string, string>> = {
  'server/src/doctor/books-store.ts': 'checks that the rooms agree with each other',
  'server/src/wallets/budgets-store.ts':
    'what a budget counted and which of its payments are open, of one moment',
}
