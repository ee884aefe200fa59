import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../host/log.ts'
import { oneAtATime } from '../../host/one-at-a-time.ts'
import { FINAL_DEPTH } from '../chain-facts.ts'
import type { Bank } from './bank.ts'
import type { Block } from './block.ts'
import { HORIZON_SLOTS, saveHorizon } from './horizon.ts'
import { saveChain } from './saved-chain.ts'
import type { SolanaIdentity } from './saved-chain.ts'

/**
 * A save takes 5 ms on a young chain (1.4 MB) and 48 ms with 10,000 transactions (13 MB), most of it off this thread.
 * The next one waits four times as long as the last one took, so under load a fifth of the time goes into saves and what
 * is final lags a little.
 */
const PAUSE_PER_SAVE = 4
/** An idle chain is saved this often (an hour), so that a restart has few empty blocks to make again. */
const IDLE_SLOTS_MAX = 9_000

/** Writes the chain down and says what is final: only what no crash takes back. */
export interface Keeper {
  /** Something landed or was taken back at a slot: what is on disk ends before it. */
  noteChange(slot: number): void
  /** Saves what is due, in the background. */
  tend(): void
  /** While on, nothing is saved: blocks are about to be taken back. */
  hold(on: boolean): void
  /** Saves all there is; when it resolves everything closed is on disk. */
  save(): Promise<void>
  /** Saves, and gives back what was reserved ahead: a chain that ended in good order goes on where it was. */
  close(): Promise<void>
  /** The newest slot that is called final. */
  finalSlot(): number
  /** A transaction of this slot is on disk. */
  isSaved(slot: number): boolean
}

export function openKeeper({
  directory,
  identity,
  bank,
  log,
  start,
  whenSaved,
}: {
  readonly directory: string
  readonly identity: SolanaIdentity
  readonly bank: Bank
  readonly log: Log
  /** What is on disk when this begins. */
  readonly start: { readonly savedSlot: number; readonly horizon: number }
  /** Runs after each save: what is final may have moved. */
  readonly whenSaved: () => void
}): Keeper {
  const inTurn = oneAtATime()
  /** The lowest slots with something that no save has taken up, and that the save under way has. */
  let unsavedFrom = Infinity
  let underWayFrom = Infinity
  let { horizon, savedSlot } = start
  let final = 0
  let isTending = false
  let isHeld = false
  let notBefore = 0

  const writeChain = async (): Promise<void> => {
    const started = performance.now()
    const slot = bank.open().slot
    underWayFrom = unsavedFrom
    unsavedFrom = Infinity
    try {
      await saveChain(directory, {
        identity,
        blocks: bank.blocks().map(writable),
        landedMessages: Array.from(bank.landedMessages(), ([hash, seen]) => [hash, [...seen]]),
        records: bank.records.lines(),
        machine: bank.svm.toBytes(),
      })
      savedSlot = slot
    } catch (error) {
      unsavedFrom = Math.min(underWayFrom, unsavedFrom)
      throw error
    } finally {
      underWayFrom = Infinity
      notBefore = performance.now() + (performance.now() - started) * PAUSE_PER_SAVE
    }
  }
  const writeHorizon = async (): Promise<void> => {
    const slot = bank.open().slot + HORIZON_SLOTS
    await saveHorizon(directory, identity.genesisHash, slot)
    horizon = slot
  }

  const isChainDue = (): boolean =>
    !isHeld && (unsavedFrom < Infinity || bank.open().slot - savedSlot > IDLE_SLOTS_MAX)
  const isHorizonDue = (): boolean => bank.open().slot + HORIZON_SLOTS / 2 > horizon
  const isDurable = (slot: number): boolean => slot < Math.min(unsavedFrom, underWayFrom)

  const run = async (isUrgent: boolean): Promise<void> => {
    await inTurn(async () => {
      if (isHorizonDue()) await writeHorizon()
      if (isChainDue() && (isUrgent || performance.now() >= notBefore)) await writeChain()
    })
    whenSaved()
  }

  const tend = (): void => {
    if (isTending || !(isChainDue() || isHorizonDue())) return
    isTending = true
    const pause = isHorizonDue() ? 0 : Math.max(0, notBefore - performance.now())
    delay(pause, undefined, { ref: false })
      .then(async () => await run(false))
      .catch((error: unknown) => {
        log(`the Solana chain is not saved: ${error instanceof Error ? error.message : 'unknown'}`)
      })
      .finally(() => {
        isTending = false
      })
  }

  const noteChange = (slot: number): void => {
    unsavedFrom = Math.min(unsavedFrom, slot)
  }

  return {
    noteChange,
    tend,
    hold(on) {
      isHeld = on
    },
    async save() {
      await run(true)
    },
    async close() {
      noteChange(bank.open().slot)
      await run(true)
      await inTurn(async () => await saveHorizon(directory, identity.genesisHash, bank.open().slot))
    },
    finalSlot() {
      const onDisk = Math.min(horizon, unsavedFrom - 1, underWayFrom - 1)
      final = Math.max(final, bank.blockAt(Math.min(bank.open().slot - FINAL_DEPTH, onDisk)).slot)
      return final
    },
    isSaved: isDurable,
  }
}

/** A block as it is written down: what accounts were before it is for this run only. */
function writable(block: Block): Omit<Block, 'before'> {
  const { slot, parentSlot, height, previousHash, hash, time, signatures } = block
  return { slot, parentSlot, height, previousHash, hash, time, signatures: [...signatures] }
}
