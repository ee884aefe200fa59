import {
  cpSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FINAL_DEPTH } from '../chain-facts.ts'
import { isChainLost } from '../lost-chain.ts'
import { BLOCKS_MAX } from './bank.ts'
import { base58Of } from './block.ts'
import { startChain } from './chain.ts'
import type { SolanaChain } from './chain.ts'
import { HORIZON_SLOTS } from './horizon.ts'
import { chainPathsOf } from './saved-chain.ts'
import { testTransfer } from './test-transfer.ts'

const INSTANCE = 'evm_0123456789abcdef0123456789abcdef'
const SOL = 1_000_000_000n
const MICROTASKS = 100

let folder: string
let count = 0
const log: string[] = []
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'florin-chain-'))
  log.length = 0
})
afterEach(() => {
  rmSync(folder, { recursive: true, force: true })
})

/** Slots pass by hand only. */
async function begin(directory: string, instance = INSTANCE): Promise<SolanaChain> {
  const chain = await startChain(directory, instance, (line) => log.push(line))
  chain.pause()
  return chain
}
/** What a kill at this moment leaves on the disk. */
function crashCopy(directory: string): string {
  count += 1
  const copy = join(folder, `crash-${count}`)
  cpSync(directory, copy, { recursive: true })
  return copy
}
const newAddress = (): string => base58Of(crypto.getRandomValues(new Uint8Array(32)))
const lamportsOf = ({ bank }: SolanaChain, address: string): bigint =>
  bank.svm.read(address)?.lamports ?? 0n
const tick = async (chain: SolanaChain, slots = 1): Promise<void> => await chain.advance(slots)

describe('finality', () => {
  test('after a crash at any moment, all that was called final is there, and lands no second time', async () => {
    const step = fc.oneof(
      { weight: 3, arbitrary: fc.constant({ kind: 'send' } as const) },
      {
        weight: 3,
        arbitrary: fc.record({
          kind: fc.constant('pass' as const),
          slots: fc.integer({ min: 1, max: 50 }),
          waits: fc.boolean(),
        }),
      },
      { weight: 1, arbitrary: fc.constant({ kind: 'fork' } as const) },
      { weight: 2, arbitrary: fc.constant({ kind: 'crash' } as const) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
        const directory = join(folder, `run-${(count += 1)}`)
        const chain = await begin(directory)
        const sent: Awaited<ReturnType<typeof testTransfer>>[] = []
        const addresses: string[] = []
        for (const one of steps) {
          if (one.kind === 'send') {
            const to = newAddress()
            const wire = await testTransfer(chain, to, SOL)
            chain.submit(wire)
            sent.push(wire)
            addresses.push(to)
          } else if (one.kind === 'fork') {
            chain.fork(1, 2)
          } else if (one.kind === 'pass') {
            // Not waited for: the crash may fall into a save.
            const passing = tick(chain, one.slots)
            if (one.waits) await passing
            else passing.catch(() => undefined)
          } else {
            const final = chain.keeper.finalSlot()
            const finals = sent.map(
              ({ signature }) => (chain.bank.records.slotOf(signature) ?? Infinity) <= final,
            )
            const block = chain.bank.blockAt(final)
            const after = await begin(crashCopy(directory))
            expect(after.keeper.finalSlot()).toBeGreaterThanOrEqual(final)
            expect(after.bank.blockAt(final)).toMatchObject({ slot: final, hash: block.hash })
            for (const [index, isFinal] of finals.entries()) {
              const wire = sent[index]
              const to = addresses[index]
              if (wire === undefined || to === undefined || !isFinal) continue
              expect(after.bank.records.get(wire.signature)?.error).toBeNull()
              after.submit(wire)
              await tick(after)
              expect(lamportsOf(after, to)).toBe(SOL)
            }
            await after.stop()
          }
        }
        await chain.stop()
      }),
      { numRuns: 12 },
    )
  })

  test('waits for the depth, and for the disk', async () => {
    const chain = await begin(join(folder, 'a'))
    await tick(chain, FINAL_DEPTH)
    const wire = await testTransfer(chain, newAddress(), SOL)
    chain.submit(wire)
    // Passing without waiting: the slots are there, the save is not.
    const passing = chain.advance(FINAL_DEPTH + 1)
    const slot = chain.bank.records.slotOf(wire.signature) ?? Infinity
    expect(chain.bank.open().slot - slot).toBe(FINAL_DEPTH)
    expect(chain.keeper.finalSlot()).toBeLessThan(slot)
    // The save has begun, but no write can have ended before this turn of the event loop does.
    for (let turn = 0; turn < MICROTASKS; turn += 1) await Promise.resolve()
    expect(chain.keeper.finalSlot()).toBeLessThan(slot)
    expect(chain.keeper.isSaved(slot)).toBe(false)
    await passing
    expect(chain.keeper.finalSlot()).toBe(slot)
    await chain.stop()
  })

  test('a chain that ended in good order goes on where it was', async () => {
    const chain = await begin(join(folder, 'a'))
    await tick(chain, 77)
    const { slot } = chain.bank.open()
    await chain.stop()
    const after = await begin(join(folder, 'a'))
    expect(after.bank.open().slot).toBe(slot + FINAL_DEPTH)
    await after.stop()
  })

  test('a killed chain burns a bounded part of what blockhashes live', async () => {
    const chain = await begin(join(folder, 'a'))
    await tick(chain, 77)
    const { slot } = chain.bank.open()
    const after = await begin(crashCopy(join(folder, 'a')))
    expect(after.bank.open().slot).toBeGreaterThanOrEqual(slot)
    expect(after.bank.open().slot - slot).toBeLessThanOrEqual(HORIZON_SLOTS + FINAL_DEPTH)
    await Promise.all([chain.stop(), after.stop()])
  })
})

describe('a minority fork', () => {
  test('that was live at a crash is lost, and its transaction can land again', async () => {
    const chain = await begin(join(folder, 'a'))
    const to = newAddress()
    chain.fork(1, 10)
    const wire = await testTransfer(chain, to, SOL)
    chain.submit(wire)
    await tick(chain, 6)
    expect(lamportsOf(chain, to)).toBe(SOL)
    const after = await begin(crashCopy(join(folder, 'a')))
    expect(lamportsOf(after, to)).toBe(0n)
    after.submit(wire)
    await tick(after)
    expect(lamportsOf(after, to)).toBe(SOL)
    await Promise.all([chain.stop(), after.stop()])
  })

  test('that was lost stays lost after a crash', async () => {
    const chain = await begin(join(folder, 'a'))
    const to = newAddress()
    chain.fork(1, 2)
    chain.submit(await testTransfer(chain, to, SOL))
    await tick(chain, 12)
    const hashes = chain.bank.blocks().map(({ slot, hash }) => [slot, hash])
    const after = await begin(crashCopy(join(folder, 'a')))
    expect(lamportsOf(after, to)).toBe(0n)
    const again = after.bank.blocks().map(({ slot, hash }) => [slot, hash])
    expect(again.slice(0, hashes.length - 1)).toEqual(hashes.slice(0, -1))
    await Promise.all([chain.stop(), after.stop()])
  })
})

describe('files', () => {
  test('a torn newest copy: the one before it is taken, with one line about it', async () => {
    const chain = await begin(join(folder, 'a'))
    const [first, second] = [newAddress(), newAddress()]
    for (const to of [first, second]) {
      chain.submit(await testTransfer(chain, to, SOL))
      await tick(chain, 2)
    }
    const copy = crashCopy(join(folder, 'a'))
    const newest = join(copy, 'chain.state')
    truncateSync(newest, statSync(newest).size - 1)
    const after = await begin(copy)
    expect(lamportsOf(after, first)).toBe(SOL)
    expect(log.filter((line) => line.includes('torn'))).toHaveLength(1)
    await Promise.all([chain.stop(), after.stop()])
  })

  test('none good for this instance: it does not begin, so that nobody takes another chain for it', async () => {
    const chain = await begin(join(folder, 'a'))
    await chain.stop()
    for (const name of ['chain.state', 'chain.state.previous']) {
      writeFileSync(join(folder, 'a', name), 'x')
    }
    await expect(begin(join(folder, 'a'))).rejects.toThrow(/no good Solana chain file/)
  })

  test('are private, and an idle chain does not write its state again and again', async () => {
    const chain = await begin(join(folder, 'a'))
    const state = join(folder, 'a', 'chain.state')
    expect(statSync(state).mode & 0o777).toBe(0o600)
    const before = readFileSync(state)
    await tick(chain, 1_000)
    expect(chain.keeper.finalSlot()).toBe(chain.bank.open().slot - FINAL_DEPTH)
    expect(readFileSync(state)).toEqual(before)
    expect(chain.bank.blocks().length).toBe(BLOCKS_MAX)
    await chain.stop()
  })

  test('a chain that was here and cannot be read is lost; one that never was is not', async () => {
    const directory = join(folder, 'a')
    const say = (line: string): number => log.push(line)
    expect(isChainLost(directory, false, say)).toBe(false)
    expect(isChainLost(directory, true, say)).toBe(true)
    await (await begin(directory)).stop()
    const [state, previous] = chainPathsOf(directory)
    writeFileSync(state, 'x')
    expect(isChainLost(directory, true, say)).toBe(false)
    writeFileSync(previous, 'x')
    expect(isChainLost(directory, false, say)).toBe(true)
    expect(isChainLost(directory, false, say)).toBe(false)
  })

  test('of another instance: a new chain', async () => {
    const chain = await begin(join(folder, 'a'))
    await chain.stop()
    const other = await begin(join(folder, 'a'), INSTANCE.replace('0', '1'))
    expect(other.identity.genesisHash).not.toBe(chain.identity.genesisHash)
    await other.stop()
  })
})

describe('duplicates', () => {
  test('another valid signature of the same message is the same transaction', async () => {
    const chain = await begin(join(folder, 'a'))
    const to = newAddress()
    const wire = await testTransfer(chain, to, SOL)
    chain.submit(wire)
    await tick(chain)
    chain.submit({ ...wire, signature: base58Of(crypto.getRandomValues(new Uint8Array(64))) })
    await tick(chain)
    expect(lamportsOf(chain, to)).toBe(SOL)
    await chain.stop()
  })
})
