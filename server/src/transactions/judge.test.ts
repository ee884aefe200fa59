import { afterAll, beforeAll, expect, test } from 'vitest'
import { proofKey } from '../chains/exact.ts'
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
