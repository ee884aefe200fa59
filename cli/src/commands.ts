import type { Command } from './command.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  {
    name: 'up',
    usage: '[--market]',
    summary:
      'run PostgreSQL, the sandbox and the service here, until Ctrl-C; --market: traders trade there',
    load: async () => (await import('./up/run-up.ts')).runUp,
  },
  {
    name: 'serve',
    usage: '',
    summary: 'run the service on a database and networks of your own: production',
    settings: 'told by itself',
    load: async () => (await import('./serve/run-serve.ts')).runServe,
  },
  {
    name: 'migrate',
    usage: '[--json]',
    summary: "bring the database's schema up to this version",
    load: async () => (await import('./migrate.ts')).runMigrate,
  },
  {
    name: 'env',
    usage: '',
    summary: 'print exports for a shell: eval "$(npx florin env)"',
    load: async () => (await import('./env.ts')).runEnv,
  },
  {
    name: 'keys create',
    usage: '--name N [--scopes read,write] [--plan premium] [--expires 30d] [--json]',
    summary: 'make an API key; it is shown once',
    load: async () => (await import('./keys/create.ts')).runKeysCreate,
  },
  {
    name: 'keys list',
    usage: '[--json]',
    summary: 'list the API keys',
    load: async () => (await import('./keys/list.ts')).runKeysList,
  },
  {
    name: 'keys delete',
    usage: 'ID [--json]',
    summary: 'delete an API key, effective within a second',
    load: async () => (await import('./keys/delete.ts')).runKeysDelete,
  },
  {
    name: 'rekey',
    usage: 'NEW_KEY_FILE [--json]',
    summary: 'seal all wallets and secrets under another key-encryption key, while nothing runs',
    load: async () => (await import('./rekey.ts')).runRekey,
  },
  {
    name: 'operator-link',
    usage: '[--email E] [--json]',
    summary: 'a link that signs an operator in on the dashboard: once, within 15 minutes',
    load: async () => (await import('./operator-link.ts')).runOperatorLink,
  },
  {
    name: 'wallets create',
    usage: '--family evm|solana [--label L] [--account ID] [--json]',
    summary: 'make a wallet with a new key',
    load: async () => (await import('./wallets/create.ts')).runWalletsCreate,
  },
  {
    name: 'wallets import',
    usage: '[--label L] [--account ID] [--json] < KEY',
    summary: 'seal a private key from standard input as a wallet',
    load: async () => (await import('./wallets/import.ts')).runWalletsImport,
  },
  {
    name: 'wallets list',
    usage: '[--deleted] [--account ID] [--json]',
    summary: 'list the wallets, or the deleted ones',
    load: async () => (await import('./wallets/list.ts')).runWalletsList,
  },
  {
    name: 'wallets restore',
    usage: 'ADDRESS [--json]',
    summary: 'show a deleted wallet to its account again: money that arrived since can be paid out',
    load: async () => (await import('./wallets/restore.ts')).runWalletsRestore,
  },
  {
    name: 'wallets settle',
    usage: 'ADDRESS [--retire] [--json]',
    summary: 'make a wallet pay for settlements of x402, or take it out again',
    load: async () => (await import('./wallets/settle.ts')).runWalletsSettle,
  },
  {
    name: 'wallets',
    usage: '[--json]',
    summary: 'the wallets that the API key can pay from, with what they can spend',
    load: async () => (await import('./caller/wallets.ts')).runWallets,
  },
  {
    name: 'pay',
    usage:
      'RECIPIENT AMOUNT | URL [--max AMOUNT] [--asset A] [--from A] [--network N] [--wait W] [--timeout S] [--idempotency-key K] [--self-custody --keyfile FILE [--max-fee F]] [--json]',
    summary:
      'pay once and show how far it has come, up to --wait submitted, confirmed or settled; or buy at URL for --max at most',
    load: async () => (await import('./caller/pay.ts')).runPay,
  },
  {
    name: 'paywall',
    usage: '[--amount A] [--asset A] [--network N] [--pay-to ADDRESS] [--port P] [--json]',
    summary: 'a shop on this machine that sells one page for x402 payments, until Ctrl-C',
    load: async () => (await import('./caller/paywall.ts')).runPaywall,
  },
  {
    name: 'mcp',
    usage: '[--max AMOUNT] [--asset A] [--wallets ADDRESS,ADDRESS] [--send]',
    summary:
      'payments for an AI agent by the Model Context Protocol, for --max at most in one call; --send: also to addresses',
    load: async () => (await import('./mcp/run-mcp.ts')).runMcp,
  },
  {
    name: 'status',
    usage: 'PAYMENT_ID [--watch] [--timeout S] [--json]',
    summary: 'where a payment stands; --watch until it is settled or failed',
    load: async () => (await import('./caller/status.ts')).runStatus,
  },
  {
    name: 'history',
    usage: 'ADDRESS [--type sent|received|all] [--limit N] [--json]',
    summary: 'what an address sent and received, newest first',
    load: async () => (await import('./caller/history.ts')).runHistory,
  },
  {
    name: 'listen',
    usage: '[--keys K,K] [--after EVENT_ID] [--forward URL] [--json]',
    summary: 'every event of the account as it happens, until Ctrl-C',
    load: async () => (await import('./caller/listen.ts')).runListen,
  },
  {
    name: 'doctor',
    usage: '[--json]',
    summary: 'hold database and chains against every invariant; changes nothing',
    load: async () => (await import('./doctor.ts')).runDoctor,
  },
  {
    name: 'version',
    usage: '',
    summary: 'print the version',
    settings: 'none',
    load: async () => (await import('./version.ts')).runVersion,
  },
  {
    name: 'help',
    usage: '[COMMAND]',
    summary: 'print this, or the lines of one command; the same as COMMAND --help',
    settings: 'none',
    load: async () => (await import('./help.ts')).runHelp,
  },
]
