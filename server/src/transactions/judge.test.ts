import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofKey } from '../chains/exact.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { judge, judgeSettlement, termsPaid } from './judge.ts'
import { openScene } from './test-scene.ts'
import type { Scene } from './test-scene.ts'

let database: TestDatabase
let scene: Scene
beforeAll(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store, 'evm')
})
afterAll(() => database.close())

test('what was reverted pays no build, whatever a node says that it moved', async () => {
  const built = await scene.build()
  const sighting = scene.paid(built, { succeeded: false })
  expect(sighting.transfers).toHaveLength(1)
  expect(judge(built.build, sighting)).toEqual({
    ...{ kind: 'other', remark: 'transaction_reverted', dead: 'transaction_reverted' },
  })
  expect(termsPaid({ ...sighting, commitments: [] })).toEqual([])
})

test('what carries the commitments of several builds pays none of them', async () => {
  const built = await scene.build()
  const [commitment = ''] = scene.paid(built).commitments
  const several = scene.paid(built, { commitments: [commitment, `${commitment}00`] })
  expect(judge(built.build, several)).toMatchObject({ remark: 'several_commitments' })
})

test('a transfer of another token, amount or recipient pays no build, nor do two at once', async () => {
  const built = await scene.build()
  const { transfers, ...right } = scene.paid(built)
  const [one] = transfers
  if (one === undefined) throw new Error('no transfer')
  const given = (...moved: typeof transfers) => judge(built.build, { ...right, transfers: moved })
  expect(given(one)).toMatchObject({ kind: 'paid' })
  for (const change of [{ asset: 'another' }, { amount: one.amount + 1n }]) {
    expect(given({ ...one, ...change })).toMatchObject({ remark: 'other_terms' })
  }
  expect(given()).toMatchObject({ remark: 'other_terms' })
  expect(given(one, { ...one })).toMatchObject({ remark: 'other_terms' })
})

test('what does more than it was built for pays it where nothing else is known of it, and where a trade gives something back', async () => {
  const { build, ...built } = await scene.build()
  const more = { ...scene.paid({ build, ...built }), isPlain: false }
  const tradeId = newId(systemRandom, 'trd')
  expect(judge(build, more)).toMatchObject({ remark: 'other_terms' })
  expect(judge({ ...build, tradeId }, more)).toMatchObject({ kind: 'paid' })
  const unmarked = { ...more, commitments: [] }
  expect(judge({ ...build, commitment: null }, unmarked)).toMatchObject({ kind: 'paid' })
  const twice = { transfers: [...more.transfers, ...more.transfers] }
  for (const each of [
    { ...build, tradeId },
    { ...build, commitment: null },
  ]) {
    const shown = each.commitment === null ? unmarked : more
    expect(judge(each, { ...shown, ...twice })?.kind).toBe('other')
  }
})

test('by its terms alone a transaction pays at a place, once, and what its own sender moved there', async () => {
  const { build, ...built } = await scene.build()
  const sighting = { ...scene.paid({ build, ...built }), commitments: [] }
  const { sender, nonce, asset, recipient, amount } = build
  expect(termsPaid(sighting)).toEqual([{ sender, nonce, asset, recipient, amount }])
  expect(termsPaid({ ...sighting, nonce: null })).toEqual([])
  expect(termsPaid({ ...sighting, commitments: ['c0'.repeat(32)] })).toEqual([])
  const [one] = sighting.transfers
  if (one === undefined) throw new Error('no transfer')
  expect(termsPaid({ ...sighting, transfers: [{ ...one, from: recipient }] })).toEqual([])
  expect(termsPaid({ ...sighting, transfers: [one, { ...one }] })).toEqual([])
  const other = { ...one, amount: amount + 1n }
  expect(termsPaid({ ...sighting, transfers: [one, other] })).toHaveLength(2)
})

test('a proof pays the build that settles it only by the transfer that was asked for', async () => {
  const built = await scene.build()
  const key = proofKey('a proof')
  const build = { ...built.build, nonce: null, proofKey: key }
  const right = { ...scene.paid(built), proofKey: key }
  const [one] = right.transfers
  if (one === undefined) throw new Error('no transfer')
  expect(judgeSettlement(build, right)).toMatchObject({ kind: 'settled' })
  for (const change of [{ asset: 'another' }, { amount: one.amount - 1n }, { to: build.sender }]) {
    expect(judgeSettlement(build, { ...right, transfers: [{ ...one, ...change }] })).toBeUndefined()
  }
  expect(judgeSettlement(build, { ...right, succeeded: false })).toEqual({ kind: 'failed' })
  expect(judgeSettlement(build, { ...right, proofKey: proofKey('another') })).toBeUndefined()
})
