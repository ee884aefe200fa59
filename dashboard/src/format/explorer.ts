/** Public block explorers by CAIP-2 id; `{id}` is the transaction. */
const TRANSACTIONS: ReadonlyMap<string, string> = new Map([
  ['eip155:1', 'https://etherscan.io/tx/{id}'],
  ['eip155:11155111', 'https://sepolia.etherscan.io/tx/{id}'],
  ['eip155:8453', 'https://basescan.org/tx/{id}'],
  ['eip155:84532', 'https://sepolia.basescan.org/tx/{id}'],
  ['eip155:137', 'https://polygonscan.com/tx/{id}'],
  ['eip155:43114', 'https://snowtrace.io/tx/{id}'],
  ['solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', 'https://explorer.solana.com/tx/{id}'],
  ['solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1', 'https://explorer.solana.com/tx/{id}?cluster=devnet'],
])

/** Where a transaction can be seen by everybody; undefined where no explorer is known, and for chains of a sandbox. */
export function explorerLink({
  network,
  signature,
  sandbox,
}: {
  readonly network: string
  readonly signature: string | null
  readonly sandbox: boolean
}): string | undefined {
  if (signature === null || sandbox) return undefined
  return TRANSACTIONS.get(network)?.replace('{id}', encodeURIComponent(signature))
}
