import type { Address } from '../../chain.ts'
import { callData, addressOf, intOf, uintOf, wordsOf } from './words.ts'
import type { MarketLog } from './market-log.ts'

/** What a pool's log says, by the order of its two tokens. Positive: the pool got it. Base units. */
export type PoolEvent =
  | { readonly kind: 'swap'; readonly moved: readonly [bigint, bigint] }
  | { readonly kind: 'sync'; readonly held: readonly [bigint, bigint] }

/** A pool that a factory made. */
export interface MadePool {
  readonly pool: Address
  readonly tokens: readonly [Address, Address]
}

/** How one kind of pool writes logs and is known by its factory. */
export interface PoolKind {
  readonly createdTopic: string
  readonly poolTopics: readonly string[]
  /** Whether its logs say what it holds. */
  readonly showsReserves: boolean
  /** What a pool is asked, and how its factory is asked for the same pool; hex without 0x. */
  readonly questions: readonly string[]
  lookUp(tokens: readonly [Address, Address], answers: readonly Uint8Array[]): string
  madePool(log: MarketLog): MadePool | undefined
  event(log: MarketLog): PoolEvent | undefined
}

const TOKEN0 = '0dfe1681'
const TOKEN1 = 'd21220a7'
const FEE = 'ddca3f43'
const GET_PAIR = 'e6a43905'
const GET_POOL = '1698ee82'

const V2_SWAP = '0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822'
const V2_SYNC = '0x1c411e9a96e071241c2f21f7726b17ae89e3cab4c78be50e062b03a9fffbbad1'
const V3_SWAP = '0xc42079f94a6350d7e6235f29174924f928cc2ac818eb64fed8004e115fbcca67'

/** Source: v2-core, IUniswapV2Factory and IUniswapV2Pair. */
export const V2_POOLS: PoolKind = {
  createdTopic: '0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9',
  poolTopics: [V2_SWAP, V2_SYNC],
  showsReserves: true,
  questions: [TOKEN0, TOKEN1],
  lookUp: (tokens) => callData(GET_PAIR, tokens),
  madePool: ({ topics, data }) => madeFrom(topics, wordsOf(data, 2)?.[0]),
  event: ({ topics: [topic], data }) => {
    if (topic === V2_SYNC) {
      const words = wordsOf(data, 2)
      return words && { kind: 'sync', held: [uintOf(words[0]), uintOf(words[1])] }
    }
    const words = wordsOf(data, 4)
    if (words === undefined) return undefined
    const [in0 = 0n, in1 = 0n, out0 = 0n, out1 = 0n] = words.map(uintOf)
    return { kind: 'swap', moved: [in0 - out0, in1 - out1] }
  },
}

/** Source: v3-core, IUniswapV3Factory and IUniswapV3PoolEvents. What such a pool holds stands in none of its logs. */
export const V3_POOLS: PoolKind = {
  createdTopic: '0x783cca1c0412dd0d695e784568c96da2e9c22ff989357a2e8b1d9b2b4e6b7118',
  poolTopics: [V3_SWAP],
  showsReserves: false,
  questions: [TOKEN0, TOKEN1, FEE],
  lookUp: (tokens, [, , fee]) => callData(GET_POOL, [...tokens, uintOf(fee)]),
  madePool: ({ topics, data }) => madeFrom(topics, wordsOf(data, 2)?.[1]),
  event: ({ data }) => {
    const words = wordsOf(data, 5)
    return words && { kind: 'swap', moved: [intOf(words[0]), intOf(words[1])] }
  },
}

function madeFrom(
  [, first, second]: readonly string[],
  word: Uint8Array | undefined,
): MadePool | undefined {
  const pool = addressOf(word)
  const [token0, token1] = [topicAddress(first), topicAddress(second)]
  if (pool === undefined || token0 === undefined || token1 === undefined) return undefined
  return { pool, tokens: [token0, token1] }
}

function topicAddress(topic: string | undefined): Address | undefined {
  return topic === undefined ? undefined : addressOf(Buffer.from(topic.slice(2), 'hex'))
}
