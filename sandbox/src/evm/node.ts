import { mkdirSync, renameSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../host/log.ts'
import { findAnvil } from './anvil-binary.ts'
import type { AnvilClient } from './anvil-client.ts'
import { AnvilUnreachable } from './anvil-client.ts'
import type { AnvilProcess } from './anvil-process.ts'
import { startAnvil } from './anvil-process.ts'
import {
  BLOCKS_UNTIL_FINAL,
  bootstrap,
  placeBatchSettlement,
  placeOldToken,
  placePermit2,
} from './bootstrap.ts'
import type { Identity } from './identity.ts'
import { newIdentity, readIdentity, writeIdentity } from './identity.ts'
import { endLeftovers } from './leftover.ts'
import { hasMarket, openMarket } from './market.ts'
import type { SavedState } from './state-file.ts'
import { readState, saveState, statePathsOf } from './state-file.ts'

const BACKOFF_MILLISECONDS_MIN = 100
const BACKOFF_MILLISECONDS_MAX = 5_000
/** A node that lived this long died of something new. */
const HEALTHY_MILLISECONDS = 30_000

/** anvil under supervision: while the sandbox lives there is one, or one is on its way. */
export interface EvmNode {
  identity(): Identity
  /** The running anvil. @throws {AnvilUnreachable} while there is none. */
  running(): AnvilProcess
  /** Process id of the running anvil, or null. */
  pid(): number | null
  /**
   * Reads the chain's state, which must stand still meanwhile, and gives what writes it to disk: when that resolves, the head that was read can be
   * called final. Of two states the one that was read first is written first.
   */
  read(): Promise<() => Promise<void>>
  /** Tells it a head it has not made itself. */
  noteHead(height: number): void
  /** Tells it that so many blocks of the head are about to be others: theirs are not on disk. */
  noteReplaced(blocks: number): void
  /** The highest block on disk: no crash takes it back. */
  savedHeight(): number
  /** Blocks that a crash now would take. */
  unsavedBlocks(): number
  /** The newest block. */
  headHeight(): number
  /** The highest block that is called final: on disk, and as deep as anvil asks. */
  finalHeight(): number
  stop(): Promise<void>
}

/** Ends leftovers, goes on from the last good save or starts a new chain, and keeps anvil alive from then on. */
export async function startEvmNode(
  directory: string,
  log: Log,
  /** Whether USDC is the chain's own currency under another name: of a chain that begins. */
  currencyToken = false,
): Promise<EvmNode> {
  const binary = findAnvil()
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  await endLeftovers(binary, directory, log)

  const stopping = new AbortController()
  let anvil: AnvilProcess | undefined
  let identity: Identity | undefined
  let head = 0
  let saved = 0
  let backoff = BACKOFF_MILLISECONDS_MIN
  let writing: Promise<void> = Promise.resolve()

  const boot = async (): Promise<AnvilProcess> => {
    const started = await startAnvil(binary, directory, currencyToken)
    try {
      // The state that the one before still gave is what this one goes on from.
      await writing.catch(() => undefined)
      identity = await loadOrBegin(directory, started.client, log, currencyToken)
      const state = await readChain(started.client, identity)
      await saveState(directory, state)
      saved = state.height
      head = saved
      return started
    } catch (error) {
      await started.stop()
      throw error
    }
  }

  const supervise = async (first: AnvilProcess): Promise<void> => {
    let current = first
    for (;;) {
      const since = performance.now()
      await current.ended
      anvil = undefined
      if (stopping.signal.aborted) return
      if (performance.now() - since > HEALTHY_MILLISECONDS) backoff = BACKOFF_MILLISECONDS_MIN
      log(`anvil ${current.pid} ended by itself; starting it again`)
      const next = await bootUntilItWorks()
      if (next === undefined) return
      current = next
    }
  }

  const bootUntilItWorks = async (): Promise<AnvilProcess | undefined> => {
    for (;;) {
      await delay(backoff, undefined, { signal: stopping.signal }).catch(() => undefined)
      if (stopping.signal.aborted) return undefined
      backoff = Math.min(backoff * 2, BACKOFF_MILLISECONDS_MAX)
      try {
        const booted = await boot()
        if (!stopping.signal.aborted) {
          anvil = booted
          return booted
        }
        await booted.stop()
      } catch (error) {
        log(`anvil does not start: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }

  anvil = await boot()
  const supervised = supervise(anvil)

  const running = (): AnvilProcess => {
    if (anvil === undefined) throw new AnvilUnreachable('anvil is starting')
    return anvil
  }
  const known = (): Identity => {
    if (identity === undefined) throw new Error('the chain has no identity yet')
    return identity
  }
  return {
    identity: known,
    running,
    pid: () => anvil?.pid ?? null,
    async read() {
      const source = running()
      const state = await readChain(source.client, known())
      head = state.height
      return () => {
        const write = async () => {
          await writing.catch(() => undefined)
          // Of one that has ended, and whose successor went on from what was on disk.
          if (anvil !== source) throw new AnvilUnreachable('anvil was started again')
          await saveState(directory, state)
          saved = state.height
        }
        writing = write()
        return writing
      }
    },
    noteHead: (height) => {
      head = height
    },
    noteReplaced: (blocks) => {
      saved = Math.max(0, Math.min(saved, head - blocks))
    },
    savedHeight: () => saved,
    unsavedBlocks: () => Math.abs(head - saved),
    headHeight: () => head,
    finalHeight: () => Math.max(0, Math.min(head - BLOCKS_UNTIL_FINAL, saved)),
    async stop() {
      stopping.abort()
      await anvil?.stop()
      await supervised
      await writing.catch(() => undefined)
    },
  }
}

async function readChain(client: AnvilClient, { instance }: Identity): Promise<SavedState> {
  const height = Number(await client.call('eth_blockNumber'))
  const dump = await client.call('anvil_dumpState')
  if (typeof dump !== 'string') throw new AnvilUnreachable('anvil dumped no state')
  return { instance, height, dump: Buffer.from(dump.slice(2), 'hex') }
}

async function loadOrBegin(
  directory: string,
  client: AnvilClient,
  log: Log,
  currencyToken: boolean,
): Promise<Identity> {
  const before = readIdentity(directory)
  const saves = statePathsOf(directory).map(readState)
  for (const [index, save] of saves.entries()) {
    if (save.kind === 'torn') {
      log(`the chain file ${save.path} is torn; looking at the last good copy`)
      renameSync(save.path, `${save.path}.torn`)
    }
    if (save.kind !== 'good' || save.state.instance !== before?.instance) continue
    if (!(await loads(client, save.state))) {
      log('anvil refuses the saved chain; looking at the last good copy')
      continue
    }
    if (index > 0) log(`going on from the last good copy, block ${save.state.height}`)
    // A chain of an earlier version began without these.
    await placePermit2(client)
    await placeBatchSettlement(client)
    await placeOldToken(client, before)
    if (!currencyToken && !(await hasMarket(client))) await openMarket(client, before)
    for (let block = 0; block < BLOCKS_UNTIL_FINAL; block += 1) await client.call('evm_mine')
    return before
  }
  const identity = newIdentity()
  if (before !== undefined || saves.some((save) => save.kind !== 'absent')) {
    log(
      `no good chain file in ${directory}: starting a NEW chain, instance ${identity.instance}. ` +
        'Keys and records of the old chain mean nothing on it.',
    )
  }
  writeIdentity(directory, identity)
  await bootstrap(client, identity, currencyToken)
  return identity
}

async function loads(client: AnvilClient, state: SavedState): Promise<boolean> {
  try {
    await client.call('anvil_loadState', [`0x${Buffer.from(state.dump).toString('hex')}`])
    return Number(await client.call('eth_blockNumber')) === state.height
  } catch (error) {
    if (error instanceof AnvilUnreachable) throw error
    return false
  }
}
