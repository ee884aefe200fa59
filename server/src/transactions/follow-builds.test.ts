import { parseNetworkId } from '@florin/wire/network.ts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { tradesIn } from './follow-builds.ts'
import { judge } from './judge.ts'
import { openScene } from './test-scene.ts'
import type { Scene } from './test-scene.ts'

const STRANGER = '0x00000000000000000000000000000000000000e1' as Address

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store)
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

/** A scene on Solana in place of the other one. */
async function onSolana(): Promise<void> {
  await database.close()
  database = await openTestDatabase()
  scene = await openScene(database.store, 'solana')
}

describe('a transaction that does exactly what was built', () => {
  test('confirms its payment, settles it when it is final, and is not looked for any more', async () => {
    const built = await scene.build()
    expect(await scene.record(built)).toMatchObject({ status: 'pending', hash: null })
    await scene.mine('a', 101, 3, scene.paid(built))
    expect(await scene.record(built)).toMatchObject({ status: 'confirmed', remark: null })
    await scene.finalize(101)
    expect(await scene.record(built)).toMatchObject({ status: 'settled', remark: null })
    const before = scene.asked()
    await scene.mine('a', 104, 3)
    expect(scene.asked()).toBe(before)
  })

  test('is recognised by its commitment under another nonce as well', async () => {
    const built = await scene.build()
    await scene.mine('a', 101, 1, scene.paid(built, { nonce: 99n }))
    expect(await scene.record(built)).toMatchObject({ status: 'confirmed' })
  })

  test('is pending again when a reorg takes it back, and confirmed where it is seen next', async () => {
    const built = await scene.build()
    await scene.mine('a', 101, 3, scene.paid(built))
    await scene.mine('b', 101, 4)
    expect(await scene.record(built)).toMatchObject({ status: 'pending', hash: null })
    await scene.mine('b', 105, 1, scene.paid(built))
    expect(await scene.record(built)).toMatchObject({ status: 'confirmed' })
    await scene.finalize(105)
    expect(await scene.record(built)).toMatchObject({ status: 'settled' })
  })

  test('counts when it carries no commitment, by its sender, nonce and terms, for one build of an account', async () => {
    scene.script.carriesCommitment = false
    const first = await scene.build()
    scene.later(61_000)
    const second = await scene.build()
    expect(second.build.nonce).toBe(first.build.nonce)
    expect(first.state.paymentProof).toBeNull()
    await scene.mine('a', 101, 1, scene.paid(second))
    const statuses = [await scene.record(first), await scene.record(second)]
    expect(statuses.map(({ status }) => status).toSorted()).toEqual(['confirmed', 'pending'])
    await scene.finalize(101)
    const ends = [await scene.record(first), await scene.record(second)]
    expect(ends.map(({ status }) => status).toSorted()).toEqual(['expired', 'settled'])
  })
})

test('a build that was paid is not judged again by what its sender signs afterwards', async () => {
  const built = await scene.build()
  await scene.mine('a', 101, 1, scene.paid(built))
  const again = scene.paid(built, { transactionHash: '0xagain' as TransactionHash, transfers: [] })
  await scene.mine('a', 102, 1, again)
  expect(await scene.record(built)).toMatchObject({ status: 'confirmed', remark: null })
  scene.later(61_000)
  scene.script.finalized = 1_000n
  await scene.watch()
  await scene.mine('b', 102, 2)
  await scene.finalize(101)
  expect(await scene.record(built)).toMatchObject({ status: 'settled', remark: null })
})

test('only what its own sender signed says anything of a build', async () => {
  const built = await scene.build()
  const copied = scene.paid(built, { sender: STRANGER })
  expect(judge(built.build, scene.paid(built))).toMatchObject({ kind: 'paid' })
  expect(judge(built.build, copied)).toBeUndefined()
})

test('what came to the account of its recipient pays a build, whoever owns that account by now', async () => {
  const built = await scene.build()
  const right = scene.paid(built)
  const given = (isInto?: (wallet: Address) => boolean) => ({
    ...right,
    transfers: right.transfers.map((each) => ({
      ...each,
      to: STRANGER,
      ...(isInto === undefined ? {} : { isInto }),
    })),
  })
  const { recipient } = built.build
  expect(
    judge(
      built.build,
      given((wallet) => wallet === recipient),
    )?.kind,
  ).toBe('paid')
  for (const isInto of [undefined, (wallet: Address) => wallet === STRANGER]) {
    expect(judge(built.build, given(isInto))).toMatchObject({ remark: 'other_terms' })
  }
})

test('what came to the account of its recipient pays no build where its sender owns that account by now', async () => {
  const built = await scene.build()
  const { sender, recipient } = built.build
  const right = scene.paid(built)
  const isInto = (wallet: Address) => wallet === recipient
  const back = {
    ...right,
    transfers: right.transfers.map((each) => ({ ...each, to: sender, isInto })),
  }
  expect(judge(built.build, back)).toMatchObject({ remark: 'other_terms' })
  expect(judge({ ...built.build, recipient: sender }, back)?.kind).toBe('paid')
})

test('a sale of which the market took a part is the sale, and a plain transfer of a part is not', async () => {
  const built = await scene.build()
  const asset = 'token'
  const sale = { ...built.build, asset, tradeId: newId(systemRandom, 'trd') }
  const right = scene.paid(built)
  const moved = (amount: bigint, change = {}) => ({
    ...right,
    isPlain: false,
    transfers: right.transfers.map((each) => ({ ...each, asset, amount, ...change })),
  })
  const part = moved(built.build.amount - 1n)
  expect(judge(sale, part)).toEqual({ kind: 'paid', transfer: part.transfers[0] })
  const other = { kind: 'other', remark: 'other_terms' }
  expect(judge({ ...sale, tradeId: null }, part)).toMatchObject(other)
  expect(judge(sale, moved(0n))).toMatchObject(other)
  expect(judge(sale, moved(built.build.amount + 1n))).toMatchObject(other)
  expect(judge(sale, moved(1n, { to: STRANGER }))).toMatchObject(other)
  // Nobody is sold native currency in parts: the value is signed.
  const purchase = { ...sale, asset: 'native' }
  expect(judge(purchase, moved(1n, { asset: 'native' }))).toMatchObject(other)
})

test('what was built has happened where the token keeps a part of it: the record says that less arrived', async () => {
  const built = await scene.build()
  const right = scene.paid(built)
  const less = right.transfers.map((each) => ({
    ...each,
    amount: each.amount - 1n,
    asked: each.amount,
  }))
  await scene.mine('a', 101, 1, { ...right, transfers: less })
  const remark = 'recipient_got_less'
  expect(await scene.record(built)).toMatchObject({ status: 'confirmed', remark })
  await scene.mine('b', 101, 1)
  expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: null })
  await scene.mine('c', 102, 1, right)
  expect(await scene.record(built)).toMatchObject({ status: 'confirmed', remark: null })
})

test('a sale of which the node does not keep to whom it went is the sale, by exactly what its sender has less', async () => {
  const built = await scene.build()
  const { amount } = built.build
  const sale = { ...built.build, asset: 'token', tradeId: newId(systemRandom, 'trd') }
  const gone = (asset: string, units: bigint) => ({
    ...scene.paid(built),
    ...{ isPlain: false, transfers: [], spent: [{ asset, amount: units, effectIndex: 3 }] },
  })
  expect(judge(sale, gone('token', amount))).toMatchObject({
    kind: 'paid',
    transfer: { amount, to: built.build.recipient, effectIndex: 3 },
  })
  const other = { kind: 'other', remark: 'other_terms' }
  expect(judge(sale, gone('token', amount - 1n))).toMatchObject(other)
  expect(judge(sale, gone('another', amount))).toMatchObject(other)
  expect(judge({ ...sale, tradeId: null }, gone('token', amount))).toMatchObject(other)
})

test('a trade is handed on with all that its chain tells of it', async () => {
  const built = await scene.build()
  const tradeId = newId(systemRandom, 'trd')
  const senderChanges = [{ asset: 'native', delta: 5n }]
  const sighting = scene.paid(built, { senderChanges })
  const { paymentId } = built.build
  const effect = { ...sighting, paymentId, effectIndex: 0 }
  const network = parseNetworkId('eip155:1')
  if (network === undefined) throw new Error('no network')
  const told = tradesIn(network, [{ ...built.build, tradeId }], new Map([[paymentId, effect]]), [
    sighting,
  ])
  expect(told).toMatchObject([{ tradeId, height: sighting.height, senderChanges }])
})

describe('a transaction that does something else', () => {
  test.each([
    ['another amount', { amount: 6n }],
    ['another recipient', { to: STRANGER }],
    ['another asset', { asset: 'other' }],
  ])(
    '(%s) confirms nothing, says so, and ends the build when its nonce is used finally',
    async (_, change) => {
      const built = await scene.build()
      const right = scene.paid(built)
      const transfers = right.transfers.map((transfer) => ({ ...transfer, ...change }))
      await scene.mine('a', 101, 1, { ...right, transfers })
      expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: 'other_terms' })
      await scene.finalize(101)
      expect(await scene.record(built)).toMatchObject({ status: 'expired', remark: 'other_terms' })
    },
  )

  test('that a reorg takes back has shown nothing', async () => {
    const built = await scene.build()
    await scene.mine('a', 101, 1, scene.paid(built, { transfers: [] }))
    expect(await scene.record(built)).toMatchObject({ remark: 'other_terms' })
    await scene.mine('b', 101, 2)
    expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: null })
    await scene.mine('b', 103, 1, scene.paid(built))
    await scene.finalize(103)
    expect(await scene.record(built)).toMatchObject({ status: 'settled', remark: null })
  })

  test('beside what was built confirms nothing', async () => {
    const built = await scene.build()
    await scene.mine('a', 101, 1, scene.paid(built, { isPlain: false }))
    expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: 'other_terms' })
  })

  test('and carries two commitments pays neither', async () => {
    const [one, two] = [await scene.build(), await scene.build()]
    const commitments = [one, two].flatMap(({ build }) => build.commitment ?? [])
    await scene.mine('a', 101, 1, scene.paid(one, { commitments }))
    for (const built of [one, two]) {
      expect(await scene.record(built)).toMatchObject({
        status: 'pending',
        remark: 'several_commitments',
      })
    }
  })

  test('because it reverted fails the payment once it is final', async () => {
    const built = await scene.build()
    await scene.mine('a', 101, 1, scene.paid(built, { succeeded: false, transfers: [] }))
    expect(await scene.record(built)).toMatchObject({
      status: 'pending',
      remark: 'transaction_reverted',
    })
    await scene.finalize(101)
    expect(await scene.record(built)).toMatchObject({ status: 'failed' })
  })

  test('with the same nonce and no commitment of ours ends the build when it is final', async () => {
    const built = await scene.build()
    await scene.mine('a', 101, 1, scene.paid(built, { commitments: [], transfers: [] }))
    expect(await scene.record(built)).toMatchObject({
      status: 'pending',
      remark: 'nonce_used_by_another_transaction',
    })
    await scene.finalize(101)
    expect(await scene.record(built)).toMatchObject({ status: 'expired' })
  })
})

describe('a stranger', () => {
  test('who copies a commitment into a transaction of its own changes nothing', async () => {
    const built = await scene.build()
    const copied = scene.paid(built, { sender: STRANGER })
    await scene.mine('a', 101, 1, copied)
    await scene.finalize(101)
    expect(await scene.record(built)).toMatchObject({ status: 'pending', remark: null })
  })

  test.each([true, false])(
    'who builds for a wallet of somebody else takes no nonce from it, and no payment (commitments: %s)',
    async (carriesCommitment) => {
      scene.script.carriesCommitment = carriesCommitment
      const [, stranger] = scene.accounts
      const foreign = await scene.build({ accountId: stranger, recipient: STRANGER })
      const own = await scene.build()
      expect(own.build.nonce).toBe(foreign.build.nonce)
      await scene.mine('a', 101, 1, scene.paid(own))
      await scene.finalize(101)
      expect(await scene.record(own)).toMatchObject({ status: 'settled' })
      expect(await scene.record(foreign)).toMatchObject({ status: 'expired' })
    },
  )

  test('who builds the very same for it does not keep it from its own', async () => {
    scene.script.carriesCommitment = false
    const [, stranger] = scene.accounts
    const foreign = await scene.build({ accountId: stranger })
    const own = await scene.build()
    await scene.mine('a', 101, 1, scene.paid(own))
    await scene.finalize(101)
    expect(await scene.record(own)).toMatchObject({ status: 'settled' })
    // What it says is true, and worth nothing: there is no proof of it.
    expect(await scene.record(foreign)).toMatchObject({ status: 'settled' })
  })
})

describe('a build that nobody sends', () => {
  test('expires on EVM only when its nonce is used in a final block that was read', async () => {
    const built = await scene.build()
    scene.later(3_600_000)
    await scene.watch()
    await scene.mine('a', 101, 5)
    await scene.finalize(105)
    expect(await scene.record(built)).toMatchObject({ status: 'pending' })
    scene.script.finalized = (built.build.nonce ?? 0n) + 1n
    await scene.watch()
    await scene.mine('a', 106, 1)
    await scene.finalize(106)
    // It has just been looked at: the older a build, the longer until the next look.
    expect(await scene.record(built)).toMatchObject({ status: 'pending' })
    scene.later(3_600_000)
    await scene.watch()
    await scene.finalize(106)
    expect(await scene.record(built)).toMatchObject({ status: 'pending' })
    await scene.mine('a', 107, 1)
    await scene.finalize(107)
    expect(await scene.record(built)).toMatchObject({
      status: 'expired',
      remark: 'nonce_used_by_another_transaction',
    })
  })

  test('is not called over before the blocks were read of which a node ahead told', async () => {
    const built = await scene.build()
    scene.later(3_600_000)
    await scene.mine('a', 101, 1)
    // A node that is far ahead has its payment in block 105, and the one that is read has not.
    scene.script.finalized = (built.build.nonce ?? 0n) + 1n
    scene.script.finalizedHeight = 105n
    await scene.watch()
    await scene.mine('a', 102, 2)
    await scene.finalize(103)
    expect(await scene.record(built)).toMatchObject({ status: 'pending' })
    await scene.mine('a', 104, 1)
    await scene.mine('a', 105, 1, scene.paid(built))
    await scene.finalize(105)
    expect(await scene.record(built)).toMatchObject({ status: 'settled', remark: null })
  })

  test('expires on Solana only when every node calls its lifetime over and the blocks since were read', async () => {
    await onSolana()
    const built = await scene.build()
    scene.later(61_000)
    scene.script.finalHeights = [151n, 150n]
    await scene.mine('a', 101, 3)
    await scene.watch()
    await scene.finalize(103)
    expect(await scene.record(built)).toMatchObject({ status: 'pending' })
    scene.script.finalHeights = [151n, 152n]
    scene.later(61_000)
    await scene.mine('a', 104, 2)
    await scene.watch()
    await scene.finalize(104)
    expect(await scene.record(built)).toMatchObject({ status: 'pending' })
    await scene.finalize(105)
    expect(await scene.record(built)).toMatchObject({ status: 'expired', remark: 'lifetime_over' })
  })

  test('and that lands in the last block that could hold it is paid', async () => {
    await onSolana()
    const built = await scene.build()
    scene.later(61_000)
    scene.script.finalHeights = [151n]
    await scene.watch()
    await scene.mine('a', 101, 1, scene.paid(built))
    await scene.finalize(101)
    expect(await scene.record(built)).toMatchObject({ status: 'settled' })
  })

  test('costs no call to a node where nothing was built', async () => {
    await scene.mine('a', 101, 3)
    expect(scene.asked()).toBe(0)
  })
})
