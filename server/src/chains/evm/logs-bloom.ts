import { keccak256 } from './keccak.ts'

const BLOOM_BYTES = 256
const BITS_PER_ITEM = 3
const ALL = 0xff

/**
 * Whether a block's filter lets it hold a log with all of these: its writer's 20 bytes, its topics. No is certain. A filter of another length,
 * or one in which nothing stands, is of a chain that does not fill it, and lets everything. Source: Yellow Paper, 4.4.1.
 */
export function mayHold(bloom: Uint8Array, items: readonly Uint8Array[]): boolean {
  if (bloom.length !== BLOOM_BYTES || bloom.every((byte) => byte === 0)) return true
  return items.every((item) => bitsOf(item).every(([at, bit]) => ((bloom[at] ?? 0) & bit) !== 0))
}

/**
 * What a filter says of its block's logs. `some`: there are. `none`: nothing stands in it, of a block without any or of a chain that does not
 * fill it. `full`: everything does, as a chain may write that does not fill it; and as anybody can make it, with logs enough.
 */
export function saysOfLogs(bloom: Uint8Array): 'none' | 'some' | 'full' {
  if (bloom.length !== BLOOM_BYTES || bloom.every((byte) => byte === 0)) return 'none'
  return bloom.every((byte) => byte === ALL) ? 'full' : 'some'
}

/**
 * Whose nodes refuse a block with another filter than its receipts make: what it excludes is not there. Others leave logs out that their nodes show, as Polygon did those of what
 * comes over from Ethereum, HyperEVM does those of HyperCore, and Sei some (its issue 2230): there a filter is a reason to ask, and none not to.
 */
const WHOLE: ReadonlySet<string> = new Set([
  // Ethereum, OP, Base, Arbitrum One.
  ...['eip155:1', 'eip155:10', 'eip155:8453', 'eip155:42161'],
  // The same for tests: Sepolia.
  ...['eip155:11155111', 'eip155:11155420', 'eip155:84532', 'eip155:421614'],
])

/** Whether the filters of a network's blocks are known to hold every log that a node may show. */
export function holdsEveryLog({ network }: { readonly network: string }): boolean {
  return WHOLE.has(network)
}

/** Where in the filter an item stands: byte and bit, three times. */
function bitsOf(item: Uint8Array): readonly (readonly [at: number, bit: number])[] {
  const hash = keccak256(item)
  return Array.from({ length: BITS_PER_ITEM }, (_, pair) => {
    const [high = 0, low = 0] = hash.subarray(pair * 2, pair * 2 + 2)
    const place = ((high << 8) | low) % (BLOOM_BYTES * 8)
    return [BLOOM_BYTES - 1 - Math.floor(place / 8), 1 << (place % 8)]
  })
}
