import { setTimeout as delay } from 'node:timers/promises'
import { isJsonObject } from '../host/json.ts'
import type { Log } from '../host/log.ts'
import { oneAtATime } from '../host/one-at-a-time.ts'
import { AnvilUnreachable } from './anvil-client.ts'
import { BLOCKS_UNTIL_FINAL } from './bootstrap.ts'
import type { EvmNode } from './node.ts'
import type { Traffic } from './traffic.ts'

/** Faster than any automatic mode of anvil, and the only one that never stalled under out-of-order nonces. */
const ROUND_MILLISECONDS = 100
/** Pace of the empty blocks that make a block with transactions final. */
const SETTLING_MILLISECONDS = 1_000
/** Pace of the empty blocks that only let time pass; each stays in the saved chain for ever. */
const IDLE_MILLISECONDS = 15_000

/**
 * Makes blocks. The rule that finality rests on: a block is mined only after the one before it is on disk, and anvil
 * calls the block two below the head final, so whatever was called final is on disk.
 */
export interface Miner {
  /** Mines now, paused or not, and saves each block. */
  mine(blocks: number): Promise<void>
  /** Runs something that changes the chain, alone, and saves afterwards. */
  change<T>(work: () => Promise<T>): Promise<T>
  /** Stops the blocks; none is under way any more when it resolves. */
  pause(): Promise<void>
  resume(): void
  paused(): boolean
  /** Ends the loop after the block it is at; mines what the pool holds unless paused. */
  stop(): Promise<void>
}

export function startMiner(node: EvmNode, traffic: Traffic, log: Log): Miner {
  const inTurn = oneAtATime()
  const stopping = new AbortController()
  let isPaused = false
  let lastMined = performance.now()
  let blocksUntilSettled = 0
  /** Transactions that the last block left in the pool because they offer less than the base fee. */
  let stuck = 0

  const pending = async (): Promise<number> => {
    const status = await node.running().client.call('txpool_status')
    return isJsonObject(status) ? Number(status['pending'] ?? 0) : 0
  }

  const mineOne = async (): Promise<void> => {
    await traffic.change(async () => {
      const { client } = node.running()
      await client.call('evm_mine')
      lastMined = performance.now()
      const block = await client.call('eth_getBlockByNumber', ['latest', false])
      const transactions = isJsonObject(block) ? block['transactions'] : undefined
      const isEmpty = !Array.isArray(transactions) || transactions.length === 0
      blocksUntilSettled = isEmpty ? Math.max(0, blocksUntilSettled - 1) : BLOCKS_UNTIL_FINAL
      stuck = isEmpty ? await pending() : 0
    })
    // Callers may read the new block while it is written down: it is not final yet.
    await node.save()
  }

  const isDue = async (): Promise<boolean> => {
    const waited = performance.now() - lastMined
    const isSettling = blocksUntilSettled > 0 || stuck > 0
    if (waited >= (isSettling ? SETTLING_MILLISECONDS : IDLE_MILLISECONDS)) return true
    return (await pending()) > stuck
  }

  const round = async (): Promise<void> => {
    if (isPaused || stopping.signal.aborted) return
    try {
      if (await isDue()) await mineOne()
    } catch (error) {
      if (error instanceof AnvilUnreachable) return
      log(`no block: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await inTurn(round)
      await delay(ROUND_MILLISECONDS, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  const looping = loop()

  return {
    async mine(blocks) {
      await inTurn(async () => {
        for (let block = 0; block < blocks; block += 1) await mineOne()
      })
    },
    async change(work) {
      return await inTurn(async () => {
        const result = await traffic.change(work)
        await node.save()
        return result
      })
    },
    async pause() {
      isPaused = true
      await inTurn(async () => undefined)
    },
    resume: () => {
      isPaused = false
    },
    paused: () => isPaused,
    async stop() {
      stopping.abort()
      await looping
      await inTurn(async () => {
        try {
          if (!isPaused && (await pending()) > 0) await mineOne()
        } catch (error) {
          if (!(error instanceof AnvilUnreachable)) throw error
        }
      })
    },
  }
}
