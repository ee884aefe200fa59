import type { Log } from '../../host/log.ts'
import { SLOT_MILLISECONDS } from '../chain-facts.ts'
import type { Bank, Landing } from './bank.ts'
import { beginChain } from './begin.ts'
import { openFork } from './fork.ts'
import { openKeeper } from './keeper.ts'
import type { Keeper } from './keeper.ts'
import type { SolanaIdentity } from './saved-chain.ts'
import type { TransactionRecord } from './transaction-record.ts'
import type { WireTransaction } from './wire-transaction.ts'

const WAITING_MAX = 10_000
/** A clock that fell behind by more (the machine slept) does not run after the time it lost. */
const BEHIND_SLOTS_MAX = 5
/** How far back a lagging node can be asked to live. */
export const LAG_SLOTS_MAX = 150

export type Commitment = 'processed' | 'confirmed' | 'finalized'

export interface ChainListener {
  landed(record: TransactionRecord): void
  /** A block was opened, or something became final. */
  moved(): void
}

/** The chain in time: slots that pass, transactions that wait for one, and what is on disk. */
export interface SolanaChain {
  readonly identity: SolanaIdentity
  readonly bank: Bank
  readonly keeper: Keeper
  slotOf(commitment: Commitment): number
  /** Hands a transaction to the leader: it lands now, or in the next slot while slots are stopped, or never. */
  submit(wire: WireTransaction): void
  /** Takes a transaction back that has not landed. */
  withdraw(wire: WireTransaction): void
  /** Passes slots now, stopped or not, and saves. */
  advance(slots: number): Promise<void>
  pause(): void
  resume(): void
  paused(): boolean
  /** The next transactions land on a fork that loses. */
  fork(transactions: number, slots: number): void
  disarmFork(): void
  listen(listener: ChainListener): void
  /** Ends the slots and saves. */
  stop(): Promise<void>
}

/** Begins or goes on, and lets slots pass from then on. What it goes on from is on disk when it resolves. */
export async function startChain(
  directory: string,
  instance: string,
  log: Log,
): Promise<SolanaChain> {
  const { identity, bank, start, isNew } = beginChain(directory, instance, log)
  const listeners: ChainListener[] = []
  const moved = (): void => {
    for (const listener of listeners) listener.moved()
  }
  const keeper = openKeeper({ directory, identity, bank, log, start, whenSaved: moved })
  if (isNew) keeper.noteChange(0)
  await keeper.save()
  const fork = openFork(bank)
  const waiting = new Map<string, WireTransaction>()
  let isPaused = false
  let isStopped = false
  let dueAt = performance.now() + SLOT_MILLISECONDS

  const land = (wire: WireTransaction): Landing => {
    const landing = bank.land(wire)
    if (landing.kind === 'refused') return landing
    const { signature, slot } = landing.record
    keeper.noteChange(slot)
    if (fork.noteLanded(signature, slot)) keeper.hold(true)
    for (const listener of listeners) listener.landed(landing.record)
    return landing
  }
  const tick = (): void => {
    bank.advance(Math.floor(Date.now() / 1000))
    // What it took back was noted as a change when it landed, and nothing was saved since.
    if (fork.end()) keeper.hold(false)
    for (const [hash, wire] of waiting) {
      waiting.delete(hash)
      land(wire)
    }
    bank.forgetBefore(Math.min(keeper.finalSlot(), bank.open().slot - LAG_SLOTS_MAX))
    keeper.tend()
    moved()
  }
  let timer: NodeJS.Timeout | undefined
  const loop = (): void => {
    if (isStopped) return
    if (!isPaused) tick()
    dueAt += SLOT_MILLISECONDS
    const behind = performance.now() - dueAt
    if (behind > BEHIND_SLOTS_MAX * SLOT_MILLISECONDS) dueAt += behind
    timer = setTimeout(loop, Math.max(0, dueAt - performance.now()))
  }
  timer = setTimeout(loop, SLOT_MILLISECONDS)

  return {
    identity,
    bank,
    keeper,
    slotOf(commitment) {
      switch (commitment) {
        case 'processed':
          return bank.open().slot
        case 'confirmed':
          return bank.open().parentSlot
        case 'finalized':
          return keeper.finalSlot()
        default:
          return commitment satisfies never
      }
    },
    submit(wire) {
      if (!isPaused) land(wire)
      else if (waiting.size < WAITING_MAX) waiting.set(wire.messageHash, wire)
    },
    withdraw: (wire) => void waiting.delete(wire.messageHash),
    async advance(slots) {
      for (let slot = 0; slot < slots; slot += 1) tick()
      await keeper.save()
    },
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
    paused: () => isPaused,
    fork: fork.arm,
    disarmFork: fork.disarm,
    listen: (listener) => void listeners.push(listener),
    async stop() {
      isStopped = true
      clearTimeout(timer)
      await keeper.close()
    },
  }
}
