import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../host/log.ts'
import type { Ready } from '../ready.ts'
import { openEvmTrader } from './evm-trader.ts'
import { openSolanaTrader } from './solana-trader.ts'

/** Somebody with a key of its own who trades on one chain through its public doors. */
export interface Trader {
  /** Buys a little, or sells some of what it has; resolves when the trade is in a block. */
  trade(signal: AbortSignal): Promise<void>
}

/** Between two trades of one trader. */
const PAUSE_MILLISECONDS = 250
const PAUSE_MILLISECONDS_MAX = 10_000
const DOUBLINGS_MAX = 6
const STOP_MILLISECONDS = 1_000

/**
 * A trader on each chain, a few trades per second in all, so that charts and streams of a demonstration live. What fails is tried again later
 * and later.
 */
export function startTraders(ready: Ready, log: Log): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const { signal } = stopping
  const running = [openEvmTrader(ready), openSolanaTrader(ready)].map((trader) =>
    run(trader, signal, log),
  )
  return {
    stop: async () => {
      stopping.abort()
      // A trade that hangs at a node ends with the process.
      await Promise.race([Promise.all(running), delay(STOP_MILLISECONDS)])
    },
  }
}

async function run(trader: Trader, signal: AbortSignal, log: Log): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      await trader.trade(signal)
      failures = 0
    } catch (error) {
      failures += 1
      if (failures === DOUBLINGS_MAX && !signal.aborted) {
        log(`a trader cannot trade: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
    const pause = PAUSE_MILLISECONDS * 2 ** Math.min(failures, DOUBLINGS_MAX)
    await delay(Math.min(pause, PAUSE_MILLISECONDS_MAX), undefined, { signal }).catch(
      () => undefined,
    )
  }
}
