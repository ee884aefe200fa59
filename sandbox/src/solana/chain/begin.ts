import { mkdirSync, renameSync } from 'node:fs'
import { Complaint } from '../../host/complaint.ts'
import type { Log } from '../../host/log.ts'
import { FINAL_DEPTH, SLOT_MILLISECONDS } from '../chain-facts.ts'
import { openBank } from './bank.ts'
import type { Bank } from './bank.ts'
import { genesis, newIdentity } from './genesis.ts'
import { readHorizon } from './horizon.ts'
import { openRecordStore } from './record-store.ts'
import { chainPathsOf, readChain } from './saved-chain.ts'
import type { SavedChain, SolanaIdentity } from './saved-chain.ts'
import { openSvm } from './svm.ts'

export interface Beginning {
  readonly identity: SolanaIdentity
  readonly bank: Bank
  /** What of it is on disk. */
  readonly start: { readonly savedSlot: number; readonly horizon: number }
  readonly isNew: boolean
}

/**
 * Goes on from the last good save of this instance, above everything it ever called final, or starts a new chain.
 * @throws {Complaint} when this instance had a chain and none of its saves can be read: it must not go on with another one
 */
export function beginChain(directory: string, instance: string, log: Log): Beginning {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  const saves = chainPathsOf(directory).map(readChain)
  let isLost = false
  for (const [index, save] of saves.entries()) {
    if (save.kind === 'torn') {
      log(`the Solana chain file ${save.path} is torn; looking at the last good copy`)
      renameSync(save.path, `${save.path}.torn`)
      isLost = true
    }
    if (save.kind !== 'good' || save.chain.identity.instance !== instance) continue
    const bank = restored(save.chain)
    if (bank === undefined) {
      log(`litesvm refuses ${save.path}; looking at the last good copy`)
      renameSync(save.path, `${save.path}.torn`)
      isLost = true
      continue
    }
    if (index > 0) log(`going on from the last good copy, slot ${bank.open().slot}`)
    return goOn(directory, save.chain.identity, bank)
  }
  if (isLost) {
    throw new Complaint(`no good Solana chain file in ${directory}; start the sandbox again.`)
  }
  if (saves.some(({ kind }) => kind === 'good')) {
    log(`the Solana chain in ${directory} is of another instance: starting a NEW one`)
  }
  const identity = newIdentity(instance)
  const { svm, block } = genesis(identity, now())
  const bank = openBank({ svm, records: openRecordStore(), blocks: [block] })
  for (let depth = 0; depth <= FINAL_DEPTH; depth += 1) bank.advance(now())
  return { identity, bank, start: { savedSlot: 0, horizon: 0 }, isNew: true }
}

function restored(saved: SavedChain): Bank | undefined {
  try {
    return openBank({
      svm: openSvm(saved.machine),
      records: openRecordStore(saved.records),
      blocks: saved.blocks.map((block) => ({ ...block, before: new Map() })),
      landedMessages: new Map(
        saved.landedMessages.map(([hash, messages]) => [hash, new Set(messages)]),
      ),
    })
  } catch {
    return undefined
  }
}

function goOn(directory: string, identity: SolanaIdentity, bank: Bank): Beginning {
  const savedSlot = bank.open().slot
  const horizon = readHorizon(directory, identity.genesisHash) ?? savedSlot
  const { time, slot: from } = bank.open()
  const goal = Math.max(savedSlot, horizon) + FINAL_DEPTH
  while (bank.open().slot < goal) {
    const passed = ((bank.open().slot + 1 - from) * SLOT_MILLISECONDS) / 1000
    bank.advance(Math.min(now(), Math.floor(time + passed)))
  }
  return { identity, bank, start: { savedSlot, horizon }, isNew: false }
}

function now(): number {
  return Math.floor(Date.now() / 1000)
}
