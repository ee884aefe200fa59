import type { Fields } from '@florin/wire/x402/fields.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { NodeFailure } from '../chain.ts'
import type { ExactDemand } from '../exact.ts'
import { addressFromBytes } from './account.ts'
import { draftOf, funded, openKnowing, openScene, readFrom } from './test-judging.ts'
import { demand, PRICE, SELLER, settle, startJudging } from './test-judging.ts'
import type { TestChain } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { testPayer } from './test-payer.ts'
import type { AuthorizeOrder } from './test-payer.ts'

const OTHER = addressFromBytes(new Uint8Array(20).fill(0x52))
const TEN_MINUTES = 600_000

let world: TestChain
beforeAll(async () => {
  world = await startJudging()
})
afterAll(async () => {
  await world.sandbox.stop()
})

test('a token that is known judges by one run what a look and two views would, and the run alone is asked for', async () => {
  const scene = await openKnowing()
  const read = await readFrom(scene, await funded())
  expect(read).toMatchObject({ ok: true, authorization: { isUnjudged: true } })
  expect(await draftOf(scene, read)).toMatchObject({ ok: true })
  expect(scene.asked()).toEqual(['a run', 'code'])
})

test('the run and the code without which it says nothing are asked in one request, whatever else is asked then', async () => {
  const scene = await openKnowing()
  const read = await readFrom(scene, await funded())
  const from = scene.requests.length
  // What was asked before has its request sent at the end of this turn, and one of these may end at any moment of it.
  const beside = Array.from({ length: 3 }, scene.askBeside)
  const drafted = draftOf(scene, read)
  expect(await drafted).toMatchObject({ ok: true })
  await Promise.all(beside)
  const held = scene.requests.slice(from).filter((names) => names.length > 0)
  expect(held.map((names) => names.toSorted())).toEqual([['a run', 'code']])
})

test('a look asks for the state and the code of its payer in one call', async () => {
  const scene = await openKnowing()
  const read = await readFrom(scene, await funded())
  if (!read.ok) throw new Error(read.reason)
  const from = scene.requests.length
  expect(await scene.exact.check(read.authorization)).toEqual({ ok: true })
  expect(scene.requests.slice(from)).toEqual([['its state']])
})

test('an estimate is no proof: it may be another node that gave it', async () => {
  const scene = await openKnowing()
  const payer = await funded()
  const payload = await payer.authorize({ asset: USDC, to: SELLER, amount: PRICE })
  const forged = scene.exact.read(
    {
      ...payload,
      signature: (await testPayer().authorize({ asset: USDC, to: SELLER, amount: PRICE }))[
        'signature'
      ],
    },
    demand({}),
  )
  expect(forged).toMatchObject({ ok: true, authorization: { isUnjudged: true } })
  scene.node.estimate = '"0xea60"'
  expect(await draftOf(scene, forged)).toMatchObject({ ok: false })
  scene.node.estimate = undefined
  // And whoever sends that has no more of it run.
  expect(await readFrom(scene, payer)).not.toMatchObject({ authorization: { isUnjudged: true } })
})

test('one that is not, or was not for ten minutes, is asked everything, and signatures are looked at', async () => {
  const scene = openScene()
  const first = await readFrom(scene, await funded())
  expect(first).not.toMatchObject({ authorization: { isUnjudged: true } })
  expect(await draftOf(scene, first)).toMatchObject({ ok: true })
  expect(scene.asked()).toContain('its state')
  expect(await readFrom(scene, await funded())).toMatchObject({
    authorization: { isUnjudged: true },
  })
  scene.time.aheadMilliseconds = TEN_MINUTES
  const late = await readFrom(scene, await funded())
  expect(late).not.toMatchObject({ authorization: { isUnjudged: true } })
  expect(await draftOf(scene, late)).toMatchObject({ ok: true })
  expect(scene.asked()).toContain('its state')
})

test('what nobody signed is refused as such, and then for ten seconds before anything is run', async () => {
  const scene = await openKnowing()
  const payer = await funded()
  const made = () => readFrom(scene, testPayer(), { from: payer.address })
  const read = await made()
  expect(read).toMatchObject({ ok: true, authorization: { isUnjudged: true } })
  const refusal = { ok: false, reason: 'invalid_exact_evm_signature' }
  expect(await draftOf(scene, read)).toMatchObject(refusal)
  expect(await made()).toMatchObject(refusal)
  expect(await readFrom(scene, payer)).not.toMatchObject({ authorization: { isUnjudged: true } })
  scene.time.aheadMilliseconds = 10_001
  expect(await made()).toMatchObject({ authorization: { isUnjudged: true } })
})

test('nor is whoever sends that told of a use', async () => {
  const scene = await openKnowing()
  const payer = await funded()
  const nonce = `0x${'5b'.repeat(32)}` as const
  await settle(scene, await readFrom(scene, payer, { nonce }))
  const refusal = { ok: false, reason: 'invalid_exact_evm_signature' }
  const made = await readFrom(scene, testPayer(), { from: payer.address, nonce })
  expect(await draftOf(scene, made)).toEqual({ ...refusal })
  const own = await readFrom(scene, payer, { nonce })
  expect(await draftOf(scene, own)).toMatchObject({ ok: false, isUsed: true })
})

test.each<[string, Partial<AuthorizeOrder>, Partial<ExactDemand>]>([
  ['for another receiver', { to: OTHER }, {}],
  ['of another amount', { amount: PRICE + 1n }, {}],
  ['to its own payer', { to: OTHER }, { payTo: OTHER }],
  ['in a domain that is not the token’s', {}, { extra: { name: 'USD Coin', version: '2' } }],
  ['in a version that is not the token’s', {}, { extra: { name: 'USDC', version: '1' } }],
])('what nobody signed is refused for that first: %s', async (_, change, wanted) => {
  const scene = await openKnowing()
  const read = await readFrom(scene, testPayer(), { from: OTHER, ...change }, wanted)
  expect(read).toMatchObject({ ok: false, reason: 'invalid_exact_evm_signature' })
})

test.each<[string, (payload: Fields) => string]>([
  ['longer', ({ signature }) => `${String(signature)}00`],
  ['of the other half of the curve', ({ signature }) => twinOf(String(signature))],
])('a signature that is %s is looked at and counts for nothing', async (_, change) => {
  const scene = await openKnowing()
  const payload = await (await funded()).authorize({ asset: USDC, to: SELLER, amount: PRICE })
  const read = scene.exact.read({ ...payload, signature: change(payload) }, demand({}))
  expect(read).toMatchObject({ ok: false, reason: 'invalid_exact_evm_signature' })
})

test('a payer who has code is refused by it, whatever its key signed', async () => {
  const scene = await openKnowing()
  const payer = await funded()
  const read = await readFrom(scene, payer)
  // A delegation as EIP-7702 writes it.
  await world.rpc('anvil_setCode', payer.address, `0xef0100${'11'.repeat(20)}`)
  const message = 'The payer is an account with code, and this token does not ask code.'
  expect(await draftOf(scene, read)).toMatchObject({ ok: false, message })
})

test('and what its key did not sign counts as what nobody signed', async () => {
  const scene = await openKnowing()
  const payer = await funded()
  await world.rpc('anvil_setCode', payer.address, '0x5f5ffd')
  const made = await readFrom(scene, testPayer(), { from: payer.address })
  expect(await draftOf(scene, made)).toMatchObject({ ok: false })
  expect(await readFrom(scene, payer)).not.toMatchObject({ authorization: { isUnjudged: true } })
})

test.each(['null', `"0x${'0'.repeat(64)}"`, `"0x08c379a0"`])(
  'a node that says %s of what gives nothing back has said neither yes nor no',
  async (nothing) => {
    const scene = await openKnowing()
    const made = await readFrom(scene, testPayer(), { from: (await funded()).address })
    const own = await readFrom(scene, await funded())
    scene.node.nothing = nothing
    await expect(draftOf(scene, own)).rejects.toThrow(NodeFailure)
    // The token refuses this one, and that is an answer.
    expect(await draftOf(scene, made)).toMatchObject({ ok: false })
  },
)

test('some tokens say true of what they moved', async () => {
  const scene = await openKnowing()
  const own = await readFrom(scene, await funded())
  scene.node.nothing = `"0x${'1'.padStart(64, '0')}"`
  expect(await draftOf(scene, own)).toMatchObject({ ok: true })
})

test('a node on which the token is not there judges nothing by running it', async () => {
  const scene = await openKnowing()
  const made = await readFrom(scene, testPayer(), { from: (await funded()).address })
  const code = await world.rpc('eth_getCode', USDC.asset, 'latest')
  await world.rpc('anvil_setCode', USDC.asset, '0x')
  try {
    await expect(draftOf(scene, made)).rejects.toThrow(NodeFailure)
  } finally {
    await world.rpc('anvil_setCode', USDC.asset, code)
  }
})

test('nor does one that lacks it alone refuse what another finds good', async () => {
  const scene = await openKnowing()
  const own = await readFrom(scene, await funded())
  scene.node.hasCodes = false
  await expect(draftOf(scene, own)).rejects.toThrow('no code of a listed token')
  scene.node.hasCodes = true
  expect(await draftOf(scene, own)).toMatchObject({ ok: true })
})

test('what ends too soon to be included is refused, though it would run now', async () => {
  const scene = await openKnowing()
  const block = await world.rpc('eth_getBlockByNumber', 'latest', false)
  const now = BigInt((block as { timestamp: string }).timestamp)
  const payer = await funded()
  for (const [seconds, outcome] of [
    [5n, { ok: false, reason: 'invalid_exact_evm_payload_authorization_valid_before' }],
    [60n, { ok: true }],
  ] as const) {
    const read = await readFrom(scene, payer, { validBefore: now + seconds })
    expect(await draftOf(scene, read)).toMatchObject(outcome)
  }
})

test('what does not run is told why', async () => {
  const scene = await openKnowing()
  expect(await draftOf(scene, await readFrom(scene, testPayer()))).toMatchObject({
    ok: false,
    reason: 'invalid_exact_evm_insufficient_balance',
  })
  expect(scene.asked()).toContain('an estimate')
  // Its signature was good, so the next one is believed to be.
  expect(await readFrom(scene, await funded())).toMatchObject({
    authorization: { isUnjudged: true },
  })
})

test('what does not run where all else is as it should be may have been asked of nodes at different blocks', async () => {
  const scene = openScene()
  scene.node.refusesEstimates = true
  const read = await readFrom(scene, await funded())
  expect(await draftOf(scene, read)).toEqual({
    ok: false,
    reason: 'invalid_exact_evm_transaction_simulation_failed',
    isDisputed: true,
  })
  scene.node.refusesEstimates = false
  expect(await draftOf(scene, read)).toMatchObject({ ok: true })
})

/** The other signature of the same key over the same, which a curve takes as well. */
function twinOf(signature: string): string {
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const [r, s, v] = [signature.slice(2, 66), signature.slice(66, 130), signature.slice(130)]
  const other = (order - BigInt(`0x${s}`)).toString(16).padStart(64, '0')
  return `0x${r}${other}${Number.parseInt(v, 16) === 27 ? '1c' : '1b'}`
}
