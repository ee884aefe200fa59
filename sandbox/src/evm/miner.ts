import { setTimeout as delay } from 'node:timers/promises'
import { isJsonArray, isJsonObject } from '../host/json.ts'
import type { Log } from '../host/log.ts'
import { oneAtATime } from '../host/one-at-a-time.ts'
import { AnvilUnreachable } from './anvil-client.ts'
import type { AnvilClient } from './anvil-client.ts'
import { BLOCKS_UNTIL_FINAL } from './bootstrap.ts'
import type { EvmNode } from './node.ts'
import type { Traffic } from './traffic.ts'

/**
 * At least this lies between two blocks. Faster than any automatic mode of anvil, and the only way that never stalled under out-of-order nonces:
 * a transaction that just missed a block is one of the next within an instant, which is what a caller notices of a chain.
 */
const BLOCK_MILLISECONDS = 50
/** So often the pool is looked at unasked. */
const ROUND_MILLISECONDS = 100
/** So long a transaction that has just come waits for others, when the last block is older than that. */
const GATHER_MILLISECONDS = 2
/** Pace of the empty blocks that make a block with transactions final. */
const SETTLING_MILLISECONDS = 1_000
/** Pace of the empty blocks that only let time pass; each stays in the saved chain for ever. */
const IDLE_MILLISECONDS = 15_000
/**
 * A save begins with anvil showing all of the chain, and no block can be made meanwhile: 5 ms on a young chain and 15 ms after 1,200 empty blocks
 * (200 KB), but 200 ms after 10,000 transactions (2 MB) and about 1 s after 30,000. So the next one waits forty times as long as the last one took,
 * and ten times while somebody waits for it, as the faucet does: every block while that is below a round, and from then on a share of the time,
 * up to the bounds below. What is final lags with it, by no more than a bound, however long a disk took once.
 */
const PAUSE_PER_SAVE = 40
const PAUSE_PER_AWAITED_SAVE = 10
/**
 * Five times while the node is young: what was killed once is often killed again, and a chain that is killed every three seconds and saved every six
 * got no further in two minutes, so that transactions which are good for one never stayed in it.
 */
const PAUSE_PER_YOUNG_SAVE = 5
const YOUNG_MILLISECONDS = 15_000
const SAVE_PAUSE_MILLISECONDS_MAX = 12_000
const BLOCKS_PER_SAVE_MAX = 64
const BLOCKS_PER_AWAITED_SAVE_MAX = 32
/** Until a slow disk has caught up no other block is made: the state of older ones is pruned (HISTORY_BLOCKS), and reads at the final block must work. */
const UNSAVED_BLOCKS_MAX = 80

/** Makes blocks and saves them. Nothing here runs beside anything else of it. */
export interface Miner {
  /** Mines now, paused or not, and saves. */
  mine(blocks: number): Promise<void>
  /** Runs something that replaces so many blocks, alone, and saves: what it puts in their place is not final before it is on disk. */
  replace<T>(blocks: number, work: () => Promise<T>): Promise<T>
  /** Stops the blocks; none is under way any more when it resolves. */
  pause(): Promise<void>
  resume(): void
  paused(): boolean
  /** A transaction may have come: the pool is looked at soon instead of in its turn. */
  wake(): void
  /** Somebody waits until the next block with what the pool holds now is on disk. */
  hastenSave(): void
  /** Ends the loop; mines what the pool holds unless paused, and saves. */
  stop(): Promise<void>
}

/** What a miner needs of the node. */
export interface MinedNode extends Pick<
  EvmNode,
  'read' | 'noteHead' | 'noteReplaced' | 'unsavedBlocks'
> {
  running(): { readonly client: Pick<AnvilClient, 'call'> }
}

/** What a miner knows of time, in milliseconds. */
export interface Time {
  /** From any beginning. */
  now(): number
  /** Until then or until the signal; never fails. */
  sleep(milliseconds: number, signal: AbortSignal): Promise<void>
}

export function startMiner(
  node: MinedNode,
  traffic: Traffic,
  log: Log,
  { now, sleep }: Time = SYSTEM_TIME,
): Miner {
  const inTurn = oneAtATime()
  const stopping = new AbortController()
  let isPaused = false
  /** Whose blocks were made last, and since when. */
  let source: Pick<AnvilClient, 'call'> | undefined
  let sourceSince = 0
  let minedAt = now()
  let readAt = 0
  let readMilliseconds = 0
  /** The state that was read last, on its way to disk. */
  let writing: Promise<void> = Promise.resolve()
  let isWriting = false
  /** Somebody waits for the next block, or for one that was made, to be on disk. */
  let isNextAwaited = false
  let isSaveAwaited = false
  let blocksUntilSettled = 0
  /** Something may have come since the pool was last looked at, also while a block was made or saved. */
  let isWoken = false
  let whenWoken: (() => void) | undefined
  /** Transactions that the last block left in the pool because they offer less than the base fee. */
  let stuck = 0

  const pending = async (): Promise<number> => {
    const status = await node.running().client.call('txpool_status')
    return isJsonObject(status) ? Number(status['pending'] ?? 0) : 0
  }

  const mineOne = async (): Promise<void> => {
    await traffic.change(async () => {
      const { client } = node.running()
      if (client !== source) sourceSince = now()
      source = client
      // What is waited for from now on may be too late for this block.
      const isAwaited = isNextAwaited
      isNextAwaited = false
      await client.call('evm_mine')
      minedAt = now()
      isSaveAwaited ||= isAwaited
      const block = await client.call('eth_getBlockByNumber', ['latest', false])
      if (!isJsonObject(block)) throw new AnvilUnreachable('anvil shows no block')
      const { number, transactions } = block
      const isEmpty = !isJsonArray(transactions) || transactions.length === 0
      blocksUntilSettled = isEmpty ? Math.max(0, blocksUntilSettled - 1) : BLOCKS_UNTIL_FINAL
      stuck = isEmpty ? await pending() : 0
      node.noteHead(Number(number))
    })
  }

  /** The chain stands still only while it is read: blocks are made while it is written. */
  const save = async (): Promise<void> => {
    await writing.catch(() => undefined)
    const started = now()
    const write = await node.read()
    readAt = now()
    readMilliseconds = readAt - started
    isSaveAwaited = false
    isWriting = true
    writing = write().finally(() => {
      isWriting = false
    })
  }

  const saveToDisk = async (): Promise<void> => {
    await save()
    await writing
  }

  const saveIfDue = async (): Promise<void> => {
    if (isWriting || !isSaveDue()) return
    await save()
    writing.catch(complain)
  }

  /** Room for another block. Fails when the disk takes nothing. */
  const catchUp = async (): Promise<void> => {
    if (node.unsavedBlocks() < UNSAVED_BLOCKS_MAX) return
    await writing.catch(() => undefined)
    if (node.unsavedBlocks() >= UNSAVED_BLOCKS_MAX) await saveToDisk()
  }

  const complain = (error: unknown): void => {
    if (error instanceof AnvilUnreachable) return
    log(`the chain is not saved: ${error instanceof Error ? error.message : String(error)}`)
  }

  const isBlockDue = async (): Promise<boolean> => {
    const waited = now() - minedAt
    const isSettling = blocksUntilSettled > 0 || stuck > 0
    if (waited >= (isSettling ? SETTLING_MILLISECONDS : IDLE_MILLISECONDS)) return true
    return (await pending()) > stuck
  }

  const isSaveDue = (): boolean => {
    const unsaved = node.unsavedBlocks()
    const isAwaited = isSaveAwaited || isNextAwaited
    const blocksMax = isAwaited ? BLOCKS_PER_AWAITED_SAVE_MAX : BLOCKS_PER_SAVE_MAX
    if (unsaved === 0 || unsaved >= blocksMax) return unsaved > 0
    const isYoung = now() - sourceSince < YOUNG_MILLISECONDS
    const pauses = isYoung
      ? PAUSE_PER_YOUNG_SAVE
      : isAwaited
        ? PAUSE_PER_AWAITED_SAVE
        : PAUSE_PER_SAVE
    return now() - readAt >= Math.min(readMilliseconds * pauses, SAVE_PAUSE_MILLISECONDS_MAX)
  }

  const round = async (): Promise<void> => {
    if (stopping.signal.aborted) return
    isWoken = false
    try {
      if (!isPaused && (await isBlockDue())) {
        await catchUp()
        await mineOne()
        await saveIfDue()
        return
      }
      // With faults switched on, others may mine, too.
      node.noteHead(Number(await node.running().client.call('eth_blockNumber')))
      await saveIfDue()
    } catch (error) {
      if (error instanceof AnvilUnreachable) return
      log(`no block: ${error instanceof Error ? error.message : String(error)}`)
    }
  }

  /** Until the next turn, or until a transaction came and the last block is old enough. */
  const pause = async (): Promise<void> => {
    const turn = new AbortController()
    const ends = AbortSignal.any([stopping.signal, turn.signal])
    const { promise: woken, resolve } = Promise.withResolvers<void>()
    whenWoken = resolve
    if (isWoken) resolve()
    await Promise.race([
      sleep(ROUND_MILLISECONDS, ends),
      woken.then(() =>
        sleep(Math.max(GATHER_MILLISECONDS, minedAt + BLOCK_MILLISECONDS - now()), ends),
      ),
    ])
    whenWoken = undefined
    turn.abort()
  }

  const loop = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await inTurn(round)
      await pause()
    }
  }
  const looping = loop()

  return {
    async mine(blocks) {
      await inTurn(async () => {
        for (let block = 0; block < blocks; block += 1) {
          await catchUp()
          await mineOne()
          await saveIfDue()
        }
        await writing.catch(() => undefined)
        if (node.unsavedBlocks() > 0) await saveToDisk()
      })
    },
    async replace(blocks, work) {
      return await inTurn(async () => {
        // What was read before would say that the height is on disk.
        await writing.catch(() => undefined)
        // Before, so that it holds as well when the save fails.
        node.noteReplaced(blocks)
        const result = await traffic.change(work)
        await saveToDisk()
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
    wake: () => {
      isWoken = true
      whenWoken?.()
    },
    hastenSave: () => {
      isNextAwaited = true
    },
    async stop() {
      stopping.abort()
      await looping
      await inTurn(async () => {
        try {
          if (!isPaused && (await pending()) > 0) await mineOne()
          await saveToDisk()
        } catch (error) {
          if (!(error instanceof AnvilUnreachable)) throw error
        }
      })
    },
  }
}

const SYSTEM_TIME: Time = {
  now: () => performance.now(),
  sleep: async (milliseconds, signal) => {
    await delay(Math.max(0, milliseconds), undefined, { signal }).catch(() => undefined)
  },
}
