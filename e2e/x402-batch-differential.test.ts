import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DEPOSITS, DEPOSITS_OTHERWISE } from './actors/batch-deposit-cases.ts'
import { openJudges, wordOf } from './actors/batch-judges.ts'
import type { Judges } from './actors/batch-judges.ts'
import { openBatchScene } from './actors/batch-scene.ts'
import type { BatchScene } from './actors/batch-scene.ts'
import { REFUSALS, REFUSALS_OTHERWISE } from './actors/batch-settle-cases.ts'
import { VOUCHERS, VOUCHERS_OTHERWISE } from './actors/batch-voucher-cases.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

let world: World
let judges: Judges
let scene: BatchScene
beforeAll(async () => {
  world = await openWorld()
  judges = openJudges(world)
  scene = await openBatchScene(world)
})
afterAll(() => world.stop())

describe('the stock facilitator and this one verify batch-settlement', () => {
  test.each([...DEPOSITS, ...VOUCHERS])('with one voice: %s (%s)', async (_, word, make) => {
    const { ours, theirs } = await judges.verify(await make(scene))
    expect.soft(wordOf(theirs)).toBe(word)
    expect(ours).toEqual(theirs)
  })

  test.each([...DEPOSITS_OTHERWISE, ...VOUCHERS_OTHERWISE])(
    'each in its own words: %s (%s)',
    async (_, words, make) => {
      const { ours, theirs } = await judges.verify(await make(scene))
      expect(`${wordOf(theirs)} / ${wordOf(ours)}`).toBe(words)
    },
  )
})

describe('the stock facilitator and this one refuse to settle', () => {
  test.each(REFUSALS)('with one voice: %s (%s)', async (_, word, make) => {
    const { ours, theirs } = await judges.settle(await make(scene))
    expect.soft(wordOf(theirs)).toBe(word)
    expect(wordOf(ours)).toBe(wordOf(theirs))
    expect(ours).toMatchObject({ success: false, transaction: '', network: theirs['network'] })
  })

  test.each(REFUSALS_OTHERWISE)('each in its own words: %s (%s)', async (_, words, make) => {
    const { ours, theirs } = await judges.settle(await make(scene))
    expect(`${wordOf(theirs)} / ${wordOf(ours)}`).toBe(words)
  })
})
