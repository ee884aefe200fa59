import type { Clock } from '../../kernel/clock.ts'
import { hasLeft } from '../../kernel/has-left.ts'
import { limits } from '../../kernel/limits.ts'
import type { Address } from '../chain.ts'
import type { Transport } from '../json-rpc/transport.ts'
import { blockhashLiveRead, LIFETIME_BLOCKS, lifetimeRead } from './blocks.ts'
import type { Lifetime } from './blocks.ts'
import { recentPriceRead } from './fees.ts'
import { readMint } from './mint.ts'
import type { Mint } from './mint.ts'
import { remember } from '../json-rpc/remember.ts'
import { rentMinimumRead } from './rent.ts'
import { associatedAccount } from './token-account.ts'
import type { AssociatedAccount } from './token-account.ts'

/** What drafts need and what changes slowly or never, so that a draft need not ask for it each time. */
export interface Facts {
  mint(address: Address): Promise<Mint>
  /** Least lamports of an account without data. */
  rentMinimum(): Promise<bigint>
  /** What recent slots asked per compute unit, in millionths of a lamport. */
  recentPrice(): Promise<bigint>
  /** A blockhash for transactions of others, at most `limits.buildFactsMilliseconds` old. */
  lifetime(): Promise<Lifetime>
  /** Whether transactions with a blockhash are taken; the answer may be a second old. */
  isBlockhashLive(blockhash: string): Promise<boolean>
  /** For how long the chain takes what is built on a young blockhash, as quickly as slots come now; `limits.buildValidSeconds` at most. */
  validSeconds(): number
  /** Compute units that a shape of transfer was seen to use; undefined when nobody looked lately. */
  unitsOf(shape: string): bigint | undefined
  noteUnits(shape: string, units: bigint): void
  tokenAccount(owner: Address, mint: Pick<Mint, 'address' | 'program'>): AssociatedAccount
}

/** A mint's fee takes two epochs, four days, from its announcement to its beginning; rent changes with a cluster upgrade. */
const SLOW_SECONDS = 600
/** Ten slots of 200 ms. */
const PRICE_SECONDS = 2
/** Five slots of 200 ms, of the 150 for which a blockhash is taken. */
const BLOCKHASH_SECONDS = 1
const BLOCKHASHES_MAX = 1_000
const MINTS_MAX = 1_000
const SHAPES_MAX = 1_000
/** Finding a token account takes 0.1 ms; the wallets that pay and are paid again and again are found once. */
const TOKEN_ACCOUNTS_MAX = 10_000

/** `slotMilliseconds`: how quickly slots come. */
export function openFacts({
  transport,
  clock,
  slotMilliseconds,
}: {
  readonly transport: Transport
  readonly clock: Clock
  readonly slotMilliseconds: () => number
}): Facts {
  const slow = { clock, seconds: SLOW_SECONDS, entriesMax: MINTS_MAX }
  const mint = remember(slow, (address: Address) => readMint(transport, address))
  const rent = remember({ ...slow, entriesMax: 1 }, () => transport.read(rentMinimumRead))
  const price = remember({ clock, seconds: PRICE_SECONDS, entriesMax: 1 }, () =>
    transport.read(recentPriceRead),
  )
  const lifetime = remember(
    { clock, seconds: limits.buildFactsMilliseconds / 1000, entriesMax: 1 },
    () => transport.read(lifetimeRead),
  )
  const live = remember(
    { clock, seconds: BLOCKHASH_SECONDS, entriesMax: BLOCKHASHES_MAX },
    async (blockhash: string) => (await transport.read(blockhashLiveRead(blockhash))).isLive,
  )
  const units = new Map<string, { units: bigint; untilMilliseconds: number }>()
  const tokenAccounts = new Map<string, AssociatedAccount>()
  return {
    mint,
    rentMinimum: () => rent('minimum'),
    recentPrice: () => price('recent'),
    lifetime: () => lifetime('newest'),
    isBlockhashLive: live,
    validSeconds: () => {
      const seconds = Math.floor((Number(LIFETIME_BLOCKS) * slotMilliseconds()) / 1000)
      return Math.max(1, Math.min(seconds, limits.buildValidSeconds))
    },
    unitsOf: (shape) => {
      const kept = units.get(shape)
      const now = clock.nowMilliseconds()
      return kept !== undefined && hasLeft(kept.untilMilliseconds, now, SLOW_SECONDS * 1000)
        ? kept.units
        : undefined
    },
    noteUnits: (shape, used) => {
      if (units.size >= SHAPES_MAX) units.clear()
      const untilMilliseconds = clock.nowMilliseconds() + SLOW_SECONDS * 1000
      units.set(shape, { units: used, untilMilliseconds })
    },
    tokenAccount: (owner, { address, program }) => {
      const key = `${owner} ${program} ${address}`
      const kept = tokenAccounts.get(key)
      if (kept !== undefined) return kept
      if (tokenAccounts.size >= TOKEN_ACCOUNTS_MAX) tokenAccounts.clear()
      const found = associatedAccount(owner, program, address)
      tokenAccounts.set(key, found)
      return found
    },
  }
}
