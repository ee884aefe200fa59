import { baseUnits } from '@florin/wire/amount.ts'
import { expect, test } from 'vitest'
import type { Chain, TransactionHash } from '../chain.ts'
import { encodeBase58 } from './base58.ts'
import { lifetimeRead } from './blocks.ts'
import { paymentSimulationRead } from './exact-check.ts'
import { hashOf } from './sign.ts'
import { chainBehind, liesAbout, toldBy } from './test-bad-answers.ts'
import { NATIVE } from './test-network.ts'
import { HASH, nodeWith, order } from './test-scene.ts'
import type { Lines } from './test-script.ts'

const SIGNATURE = encodeBase58(new Uint8Array(64).fill(9)) as TransactionHash
const EPOCH = { absoluteSlot: 500, blockHeight: 400, epoch: 1, slotIndex: 68, slotsInEpoch: 432 }
const STATUSES = {
  context: { slot: 510 },
  value: [{ slot: 300, err: null, confirmations: 3, confirmationStatus: 'processed' }],
}

async function looksOf(chain: Chain) {
  if (chain.renewal.kind !== 'lifetime') throw new Error('Solana renews by lifetime')
  return (await chain.renewal.lookBack([SIGNATURE])).flat()
}

test('no look into a history finds nothing, and none reaches further, because a node answers badly', async () => {
  const lines: Lines = { getEpochInfo: EPOCH, getSignatureStatuses: STATUSES }
  const [truth] = await looksOf(chainBehind(lines).chain)
  expect(truth).toMatchObject({ found: true, finalizedHeight: 400n, height: 500n })
  for (const [method, answer] of Object.entries(lines)) {
    for (const lie of liesAbout(method, answer)) {
      const looks = (await toldBy(() => looksOf(chainBehind(lines, { lie }).chain))) ?? []
      for (const look of looks) {
        // That there is no such transaction is an answer.
        const isNo = method === 'getSignatureStatuses' && lie.what === 'value.0 is null'
        expect([lie.what, look.found || isNo]).toEqual([lie.what, true])
        expect([lie.what, look.finalizedHeight]).toEqual([lie.what, 400n])
      }
    }
  }
  const tooHigh = { ...EPOCH, blockHeight: EPOCH.absoluteSlot + 1 }
  const { chain } = chainBehind({ ...lines, getEpochInfo: tooHigh })
  expect(await toldBy(() => looksOf(chain))).toBeUndefined()
})

test('bytes are neither rejected nor known because a node answers badly', async () => {
  const raw = Uint8Array.of(1, ...new Uint8Array(64).fill(5), 128)
  const lines: Lines = { sendTransaction: hashOf(raw) }
  expect(await chainBehind(lines).chain.broadcast([raw])).toEqual([{ kind: 'accepted' }])
  const lies = liesAbout('sendTransaction', hashOf(raw))
  const other = {
    method: 'sendTransaction',
    what: 'another',
    reply: { result: SIGNATURE },
  } as const
  for (const lie of [...lies, other]) {
    const [alone] = await chainBehind(lines, { lie }).chain.broadcast([raw])
    expect([lie.what, alone?.kind]).toEqual([lie.what, 'unknown'])
    const both = await chainBehind(lines, { lie }, { nodes: 2 }).chain.broadcast([raw])
    expect(both).toEqual([{ kind: 'accepted' }])
  }
})

test('the newest blockhash has an end that its slot can have', () => {
  const endAt = (slot: number, lastValidBlockHeight: number) =>
    lifetimeRead.parse({ context: { slot }, value: { blockhash: HASH, lastValidBlockHeight } })
      .lastValidBlockHeight
  // Blocks are no more than slots, and a blockhash is taken for 150 of them.
  expect([endAt(500, 150), endAt(500, 650)]).toEqual([150n, 650n])
  for (const impossible of [0, 1, 149, 651]) {
    expect(() => endAt(500, impossible)).toThrow('malformed')
  }
})

test('a payment is not refused by a simulation that gives no verdict', () => {
  const { parse } = paymentSimulationRead('')
  const checkOf = (change: object) => parse({ context: { slot: 50 }, value: { ...change } }).check
  expect(checkOf({ err: null })).toEqual({ ok: true })
  expect(checkOf({ err: { InstructionError: [2, { Custom: 2n ** 60n }] } })).toMatchObject({
    ok: false,
    message: '{"InstructionError":[2,{"Custom":"1152921504606846976"}]}',
  })
  for (const err of [undefined, false, true, 0, '', 'not today', [], {}, { One: 1, Two: 2 }]) {
    expect(() => checkOf({ err })).toThrow('malformed')
  }
})

test('nothing is drafted on units or a rent of nothing', async () => {
  const drafted = (change: Lines) =>
    toldBy(() =>
      chainBehind(nodeWith(undefined, change)).chain.draft(order(baseUnits(1_000n), NATIVE)),
    )
  const simulated = (unitsConsumed: number) =>
    drafted({ simulateTransaction: { context: { slot: 50 }, value: { err: null, unitsConsumed } } })
  expect(await simulated(2_000)).toBeDefined()
  for (const units of [0, 1_400_001]) expect(await simulated(units)).toBeUndefined()
  expect(await drafted({ getMinimumBalanceForRentExemption: 0 })).toBeUndefined()
})
