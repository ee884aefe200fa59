import { systemClock } from '@florin/server/kernel/clock.ts'
import type { Clock } from '@florin/server/kernel/clock.ts'
import type { Block, Chain } from '@florin/server/chains/chain.ts'
import { openLog } from '@florin/server/kernel/log.ts'
import type { NetworkConfig } from '@florin/server/kernel/network-config.ts'
import { systemRandom } from '@florin/server/kernel/random.ts'
import { openPaymentBook } from '@florin/server/payments/advance.ts'
import { openDepositBook } from '@florin/server/payments/deposits.ts'
import { testNetwork } from '@florin/server/payments/test-lane.ts'
import type { Store } from '@florin/server/store/postgres.ts'
import { startDriver } from './driver.ts'
import type { DriverDeps } from './driver.ts'
import { scriptedChain } from './test-chain.ts'

/** A driver over a chain that has grown by a block whenever somebody asks for its head, unless it grows as the test says. */
export function drive(
  store: Store,
  watch: NonNullable<DriverDeps['watch']>,
  /** Which branch the node of the n-th look at blocks is on. */
  branchOf: (look: number) => string = () => 'a',
  {
    growth = () => 1n,
    clock = systemClock,
    config = testNetwork(84_532),
    showsBlock = false,
    instance = 'test',
    chain: says = {},
    others = {},
  }: {
    growth?: () => bigint
    clock?: Clock
    config?: NetworkConfig
    /** Whether the answer for its head shows its block. */
    showsBlock?: boolean
    /** Of two with the same store one follows. */
    instance?: string
    /** What its nodes say besides. */
    chain?: Partial<Chain>
    others?: Partial<Pick<DriverDeps, 'broadcaster' | 'builds' | 'signerOf' | 'noteRead'>>
  } = {},
) {
  let looks = 0
  let height = 100n
  const blockAt = (at: bigint, branch: string): Block => ({
    height: at,
    hash: `${branch}${at}`,
    parentHash: `${branch}${at - 1n}`,
    timeMilliseconds: 0,
    transactionHashes: [],
  })
  const chain = scriptedChain(config, {
    head: async () => {
      height += growth()
      const shown = showsBlock ? { block: blockAt(height, 'a') } : {}
      return { height, hash: `a${height}`, finalizedHeight: height - 1n, ...shown }
    },
    blocks: async (from, count) => {
      const branch = branchOf((looks += 1))
      return Array.from({ length: count }, (_, index) =>
        blockAt(from + BigInt(index), branch),
      ).filter(({ height: at }) => at <= height)
    },
    outcomes: async () => [],
    lanePosition: async () => ({ latest: 0n, finalized: 0n, finalizedHeight: 0n }),
    ...says,
  })
  const driver = startDriver({
    chain,
    store,
    book: openPaymentBook({ clock: systemClock }),
    deposits: openDepositBook({ clock: systemClock, random: systemRandom }),
    broadcaster: { broadcast: async () => [] },
    signerOf: async () => undefined,
    clock,
    killPoint: () => {},
    instance,
    log: openLog('silent'),
    watch,
    ...others,
  })
  return { ...driver, looksAtBlocks: () => looks }
}
