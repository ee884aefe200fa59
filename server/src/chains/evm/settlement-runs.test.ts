import { baseUnits } from '@florin/wire/amount.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { draftOf, funded, openKnowing, readFrom, settle, startJudging } from './test-judging.ts'
import type { TestChain } from './test-chain.ts'
import { testPayer } from './test-payer.ts'

let world: TestChain
beforeAll(async () => {
  world = await startJudging()
})
afterAll(async () => {
  await world.sandbox.stop()
})

test('those who ask at once share a run, and each is judged as if it were alone', async () => {
  const scene = await openKnowing()
  const [payer, poor, used] = [await funded(), testPayer(), await funded()]
  const nonce = `0x${'6c'.repeat(32)}` as const
  await settle(scene, await readFrom(scene, used, { nonce }))
  scene.asked()
  // Two of what its payer has, each of which takes all of it; and one paid by who would be paid in the same call.
  const all = { amount: baseUnits(1_000_000n) }
  const paidOn = await readFrom(
    scene,
    payer,
    { ...all, to: poor.address },
    { ...all, payTo: poor.address },
  )
  const reads = [
    await readFrom(scene, await funded()),
    await readFrom(scene, payer, all, all),
    paidOn,
    await readFrom(scene, poor),
    await readFrom(scene, testPayer(), { from: payer.address }),
    await readFrom(scene, used, { nonce }),
  ]
  const from = scene.requests.length
  const drafts = await Promise.all(reads.map((read) => draftOf(scene, read)))
  expect(drafts.map((drafted) => (drafted.ok ? true : drafted.reason))).toEqual([
    ...[true, true, true],
    'invalid_exact_evm_insufficient_balance',
    'invalid_exact_evm_signature',
    'invalid_exact_evm_nonce_already_used',
  ])
  expect(scene.requests[from]?.toSorted()).toEqual(['a run', 'code'])
  const asked = Object.groupBy(scene.asked(), (name) => name)
  expect(asked['a run']).toHaveLength(1)
  // Those that fail, and one that takes more than others took so far, since its receiver had nothing.
  expect(asked['an estimate']).toHaveLength(4)
})

test('a node that will not run them together has each estimated, which proves nothing', async () => {
  const scene = await openKnowing()
  const payer = await funded()
  const forged = await readFrom(scene, testPayer(), { from: payer.address })
  const good = await readFrom(scene, await funded())
  scene.node.refusesRuns = true
  const drafts = await Promise.all([forged, good].map((read) => draftOf(scene, read)))
  expect(drafts.map(({ ok }) => ok)).toEqual([false, true])
  expect(scene.asked()).toEqual(expect.arrayContaining(['an estimate', 'its state']))
})
