import type { Address, Block, TransactionHash } from '../chains/chain.ts'
import type { MarketFact } from '../chains/market.ts'
import type { TokenFacts } from '../chains/token-reader.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { MarketChain } from './market-deps.ts'

export const TEST_MINTS = [mintOf('a'), mintOf('b'), mintOf('c')] as const
function mintOf(digit: string): Address {
  return `0x${digit.repeat(40)}` as Address
}

/** 2026-01-01, a minute before midnight of UTC: blocks soon cross a minute, an hour and a day. */
const GENESIS_MILLISECONDS = Date.UTC(2025, 11, 31, 23, 59, 0)
const TEST_BLOCK_MILLISECONDS = 7_000

interface TestBlock extends Block {
  readonly facts: readonly MarketFact[]
}

/** What one transaction of a block does to a pool with a tenth of a percent and nothing of fees. */
export type TestDeed =
  | {
      readonly kind: 'open'
      readonly mint: Address
      readonly native: bigint
      readonly token: bigint
    }
  | { readonly kind: 'buy' | 'sell'; readonly mint: Address; readonly amount: bigint }
  /** A maker's trade: no pool shows anything. */
  | {
      readonly kind: 'fill'
      readonly mint: Address
      readonly native: bigint
      readonly token: bigint
    }

/** A chain in memory with a constant-product pool per token: blocks, forks, and what its markets showed. */
export interface TestMarketChain {
  readonly chain: MarketChain
  /** Every fact of the chain as it stands, in order. */
  facts(): readonly MarketFact[]
  mine(deeds?: readonly TestDeed[]): void
  /** Drops the newest blocks. */
  drop(count: number): void
  /** Begins anew with another first block. */
  replace(): void
  height(): bigint
  /** Round trips to its node. */
  calls(): number
}

export function openTestMarketChain({
  finalDepth = 20n,
  noTokens = new Set<string>(),
  holdings,
}: {
  readonly finalDepth?: bigint
  readonly noTokens?: ReadonlySet<string>
  readonly holdings?: MarketChain['tokens']['holdings']
} = {}): TestMarketChain {
  let fork = 0
  let calls = 0
  let serial = 0
  let line: TestBlock[] = [blockOn(undefined, [])]

  function blockOn(parent: TestBlock | undefined, facts: readonly MarketFact[]): TestBlock {
    const height = (parent?.height ?? -1n) + 1n
    return {
      height,
      hash: `block-${fork}-${height}`,
      parentHash: parent?.hash ?? '',
      timeMilliseconds: GENESIS_MILLISECONDS + Number(height) * TEST_BLOCK_MILLISECONDS,
      transactionHashes: [],
      facts,
    }
  }

  const tip = () => {
    const last = line.at(-1)
    if (last === undefined) throw new Error('no block')
    return last
  }
  const allFacts = () => line.flatMap(({ facts }) => facts)

  function mine(deeds: readonly TestDeed[] = []): void {
    const parent = tip()
    const shell = blockOn(parent, [])
    const facts: MarketFact[] = []
    for (const deed of deeds) {
      serial += 1
      const { mint } = deed
      const place = {
        venue: 'uniswap-v2' as const,
        transactionHash: `0x${serial}` as TransactionHash,
        height: shell.height,
        blockHash: shell.hash,
        timeMilliseconds: shell.timeMilliseconds,
      }
      const market = `pool ${mint}` as Address
      const held = [...allFacts(), ...facts].findLast(
        (fact) => fact.kind === 'reserves' && fact.mint === mint,
      )
      const trader = '0xtrader' as Address
      if (deed.kind === 'fill') {
        facts.push({
          ...{ ...place, venue: 'rfq', kind: 'trade', side: 'buy', mint, trader, effectIndex: 0 },
          ...{ market: 'maker' as Address, nativeAmount: deed.native, tokenAmount: deed.token },
        })
        continue
      }
      if (deed.kind === 'open') {
        const creator = '0xcreator' as Address
        const { native, token } = deed
        facts.push({ ...place, kind: 'opened', mint, market, creator, effectIndex: 0 })
        facts.push({ ...place, kind: 'reserves', mint, market, native, token, effectIndex: 1 })
        continue
      }
      if (held?.kind !== 'reserves') continue
      const [from, to] = deed.kind === 'buy' ? [held.native, held.token] : [held.token, held.native]
      const out = (to * deed.amount) / (from + deed.amount)
      const [native, token] =
        deed.kind === 'buy'
          ? [held.native + deed.amount, held.token - out]
          : [held.native - out, held.token + deed.amount]
      const [nativeAmount, tokenAmount] =
        deed.kind === 'buy' ? [deed.amount, out] : [out, deed.amount]
      facts.push({ ...place, kind: 'reserves', mint, market, native, token, effectIndex: 0 })
      facts.push({
        ...{ ...place, kind: 'trade', side: deed.kind, mint, market, trader, effectIndex: 1 },
        ...{ nativeAmount, tokenAmount },
      })
    }
    line = [...line, { ...shell, facts }]
  }

  const factsOf = (mint: Address): TokenFacts | undefined =>
    noTokens.has(mint)
      ? undefined
      : {
          ...{ mint, decimals: 6, supply: 10n ** 12n, name: `Token ${mint.at(-1)}` },
          ...{ symbol: mint.slice(-3).toUpperCase(), creator: null, createdAtMilliseconds: null },
          ...{ imageUrl: null, mintAuthority: null, freezeAuthority: null, extensions: [] },
        }

  const scripted = scriptedChain(testNetwork(84_532), {
    parseAddress: (text) =>
      /^0x[0-9a-f]{40}$/i.test(text) ? (text.toLowerCase() as Address) : undefined,
    head: async () => {
      calls += 1
      const { height, hash } = tip()
      return { height, hash, finalizedHeight: height > finalDepth ? height - finalDepth : 0n }
    },
    blocks: async (from, count) => {
      calls += 1
      return line.filter(({ height }) => height >= from).slice(0, count)
    },
  })
  return {
    chain: {
      ...scripted,
      market: {
        read: async (blocks) => {
          calls += 1
          const read = blocks.map(({ hash }) => line.find((block) => block.hash === hash))
          return read.includes(undefined) ? undefined : read.flatMap((block) => block?.facts ?? [])
        },
      },
      tokens: {
        facts: async (mints) => {
          calls += 1
          return mints.map(factsOf)
        },
        holders: async () => null,
        holdings: holdings ?? (async () => ({ height: tip().height, native: 0n, tokens: [] })),
      },
    },
    facts: allFacts,
    mine,
    drop: (count) => {
      fork += 1
      line = line.slice(0, Math.max(1, line.length - count))
    },
    replace: () => {
      fork += 1
      line = [blockOn(undefined, [])]
    },
    height: () => tip().height,
    calls: () => calls,
  }
}
