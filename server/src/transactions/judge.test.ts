import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { judge, termsPaid } from './judge.ts'
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
  expect(given(one, { ...one, logIndex: one.logIndex + 1 })).toMatchObject({
    remark: 'other_terms',
  })
})
