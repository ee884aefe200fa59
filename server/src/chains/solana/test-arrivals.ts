import type { Block, TransactionHash, UnreadArrival } from '../chain.ts'
import type { Script } from '../json-rpc/test-node.ts'
import { BOB } from './test-scene.ts'
import { startScripted } from './test-script.ts'

/** What nodes tell of one block. */
export interface TestArrivals {
  /** In which transactions something came to Bob, and what no node tells; undefined where they show another block. */
  readonly read: (...scripts: readonly Script[]) => Promise<{
    readonly came: readonly TransactionHash[] | undefined
    readonly unread: readonly UnreadArrival[]
  }>
  /** Ends the nodes that were asked. */
  readonly stop: () => Promise<void>
}

/** Reads a block of nodes that answer by their scripts, each time of new ones. */
export function openArrivals(block: Block): TestArrivals {
  const stops: (() => Promise<void>)[] = []
  return {
    read: async (...scripts) => {
      const { chain, stop } = await startScripted(scripts)
      stops.push(stop)
      const unread: UnreadArrival[] = []
      const found = await chain.arrivals(
        [block],
        async () => new Set([BOB]),
        (each) => void unread.push(each),
      )
      return { came: found?.map(({ transactionHash }) => transactionHash), unread }
    },
    stop: async () => {
      await Promise.all(stops.splice(0).map((stop) => stop()))
    },
  }
}
