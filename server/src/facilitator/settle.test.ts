import { describe, expect, test } from 'vitest'
import type { Address, Chain, Terms, TransactionHash } from '../chains/chain.ts'
import type {
  AwaitedApproval,
  ExactAuthorization,
  ExactCheck,
  ForeignSettlement,
  UsedBy,
} from '../chains/exact.ts'
import type { OpenSigner } from '../custody/signer.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'
import { PAST_UNTOLD } from './refusal-of.ts'
import { settlePayment } from './settle.ts'
import type { SettleDeps } from './settling.ts'
import { verifyPayment } from './verify.ts'
import {
  network,
  AMOUNT,
  LOW,
  accountId,
  paymentId,
  REVERTED,
  storedWith,
  claimFor,
  sceneOf,
  settled,
} from './test-settle-scene.ts'

test.each(['permit2_invalid_nonce', 'permit2_deadline_expired'] as const)(
  'a claimed payment that was used by whatever is not told as a final no: %s',
  async (reason) => {
    const said = await settled(claimFor(AMOUNT), { ok: false, reason, isUsed: true })
    expect(said).toMatchObject({ kind: 'pending', paymentId })
  },
)

test('one that is too late is over when that is final, and pending until then', async () => {
  for (const reason of [
    'permit2_deadline_expired',
    'invalid_exact_evm_payload_authorization_valid_before',
  ] as const) {
    const said = await settled(claimFor(AMOUNT), { ok: false, reason })
    expect(said).toMatchObject({ kind: 'pending', paymentId })
  }
})

test.each(['payment_identifier_conflict', 'payment_too_small_for_its_gas'] as const)(
  'nor one of which nothing but the moment has changed: %s',
  async (reason) => {
    const said = await settled(claimFor(AMOUNT), { ok: false, reason })
    expect(said).toMatchObject({ kind: 'pending', paymentId })
  },
)

test('what was claimed is asked about as what was judged before, so that its nonce speaks whoever vouches for it now', async () => {
  const scene = sceneOf(claimFor(AMOUNT), { ok: true }, 'exact')
  const asked: ExactAuthorization[] = []
  const judged = (used: UsedBy) => {
    for (const { exact } of scene.deps.chains.values()) {
      if (exact === undefined) throw new Error('no exact')
      Object.assign(exact, {
        usedBy: async (authorization: ExactAuthorization) => {
          asked.push(authorization)
          return used
        },
      })
    }
  }
  await settled(claimFor(AMOUNT), { ok: true }, scene)
  expect(scene.drafted).toMatchObject([{ wasJudged: true }])
  // Another call was at it, and comes to its end while this one waits.
  judged('used')
  const state = async () => ({ ...REVERTED, underWay: true })
  const busy = { ...scene.deps, records: { ...scene.deps.records, state } }
  expect(await settled(claimFor(AMOUNT), { ok: true }, { ...scene, deps: busy })).toMatchObject({
    ...{ kind: 'pending', paymentId },
  })
  expect(asked).toMatchObject([{ wasJudged: true }])
})

test('what becomes of a claim is listened for before it is made, and no longer than anybody waits for it', async () => {
  const scene = sceneOf(undefined, { ok: false, reason: 'permit2_invalid_nonce' }, 'exact')
  const done: string[] = []
  const heard = { hasChanged: () => false, end: () => void done.push('ended') }
  const records: ReceivedRecords = {
    ...scene.deps.records,
    listen: () => {
      done.push('listens')
      return heard
    },
    wait: async (_payment, _until, given) => {
      done.push(given === heard ? 'waits with what it heard' : 'waits')
      return { ...REVERTED, reverted: false, underWay: true }
    },
  }
  const settling = (claims: SettleDeps['claims']) => {
    const deps: SettleDeps = { ...scene.deps, records, claims, claimOf: async () => undefined }
    const { presented } = scene
    const over = new AbortController().signal
    return settlePayment(deps, { accountId, presented, waitUntilMilliseconds: 0, over })
  }
  expect(await settling(scene.deps.claims)).toMatchObject({ kind: 'refused' })
  expect(done.splice(0)).toEqual(['listens', 'ended'])

  for (const { exact } of scene.deps.chains.values()) {
    Object.assign(exact ?? {}, { draft: async () => ({ ok: true, draft: { feeExpected: 0n } }) })
  }
  Object.assign(scene.deps.funds, { note: () => true })
  const signed = { hash: '0xfeed' as TransactionHash, raw: new Uint8Array() }
  const claim: SettleDeps['claims']['claim'] = async () => {
    done.push('claimed')
    return { kind: 'signed', network, signed }
  }
  const said = await settling({ ...scene.deps.claims, claim })
  expect(said).toMatchObject({ kind: 'pending' })
  expect(done).toEqual(['listens', 'claimed', 'waits with what it heard', 'ended'])
})

test('nor one of which a node shows that it was paid, in a block that was not read that way', async () => {
  const used: ExactCheck = { ok: false, reason: 'permit2_invalid_nonce', isUsed: true }
  const scene = sceneOf(claimFor(AMOUNT), used, 'exact')
  const settlement: ForeignSettlement = {
    ...{ hash: '0xfeed' as TransactionHash, height: 3n, blockHash: 'fork3', logIndex: 4 },
  }
  for (const { exact } of scene.deps.chains.values()) {
    Object.assign(exact ?? {}, { findForeign: async () => ({ kind: 'paid', settlement }) })
  }
  const tx = {
    query: async (name: string) =>
      name === 'follower_height' ? [{ height: '9' }] : name === 'claim_lock' ? [{}] : [],
  } as Partial<Tx> as Tx
  const store: Partial<Store> = { inTransaction: async (_scope, work) => work(tx) }
  const paidElsewhere = async () => 'replaced' as const
  const records = { ...scene.deps.records, paidElsewhere }
  const deps = { ...scene.deps, store: store as Store, records }
  expect(await settled(claimFor(AMOUNT), used, { ...scene, deps })).toMatchObject({
    ...{ kind: 'pending', paymentId },
  })
})

test('nor one that another call has begun to settle while the chain was asked', async () => {
  const refusal: ExactCheck = { ok: false, reason: 'permit2_insufficient_balance' }
  for (const meanwhile of [
    { ...REVERTED, underWay: true },
    { ...REVERTED, status: 'confirmed' as const },
  ]) {
    const scene = sceneOf(claimFor(AMOUNT), refusal, 'exact')
    const state = async () => (scene.drafted.length === 0 ? REVERTED : meanwhile)
    const wait = async () => meanwhile
    const deps = { ...scene.deps, records: { ...scene.deps.records, state, wait } }
    const said = await settled(claimFor(AMOUNT), refusal, { ...scene, deps })
    expect(said).toMatchObject({ kind: 'pending', paymentId })
  }
})

test('one that is unused is told why it does not settle now', async () => {
  const reason = 'permit2_insufficient_balance'
  const said = await settled(claimFor(AMOUNT), { ok: false, reason })
  expect(said).toMatchObject({ kind: 'refused', reason })
})

test('but not while another facilitator that was asked has not answered: it may have it under way', async () => {
  const refusal = { ok: false, reason: 'permit2_insufficient_balance' } as const
  const scene = sceneOf(claimFor(AMOUNT), refusal, 'exact')
  const tx = { query: async (name: string) => (name === 'claim_turn_taken' ? [{}] : []) }
  const store: Partial<Store> = {
    inTransaction: async (_scope, work) => work(tx as Partial<Tx> as Tx),
  }
  const deps = { ...scene.deps, store: store as Store }
  const said = await settled(claimFor(AMOUNT), refusal, { ...scene, deps })
  expect(said).toMatchObject({ kind: 'pending', paymentId })
  // Nor where what we sent beside it came to nothing, which is told at once otherwise.
  const state = async () => ({ ...REVERTED, underWay: true })
  const busy = { ...deps, records: { ...deps.records, state } }
  expect(await settled(claimFor(AMOUNT), refusal, { ...scene, deps: busy })).toMatchObject({
    kind: 'pending',
  })
  const alone = { ...busy, store: scene.deps.store }
  expect(await settled(claimFor(AMOUNT), refusal, { ...scene, deps: alone })).toMatchObject({
    kind: 'reverted',
  })
})

test('one that came to nothing beside others is sent again by itself, so no call is told a final no of it', async () => {
  const reason = 'invalid_exact_evm_insufficient_balance'
  const claim = claimFor(AMOUNT)
  const shared = { ...REVERTED, wasShared: true }
  const refusing = (states: readonly ReceivedState[]) => {
    const scene = sceneOf(claim, { ok: false, reason }, 'exact')
    const left = [...states]
    const state = async () => left.shift() ?? shared
    const records = { ...scene.deps.records, state, wait: async () => shared }
    return { ...scene, deps: { ...scene.deps, records } }
  }
  // Whoever asks again, and whoever was waiting when it came to nothing.
  for (const states of [[], [{ ...shared, underWay: true }]]) {
    expect(await settled(claim, { ok: false, reason }, refusing(states))).toMatchObject({
      ...{ kind: 'pending', paymentId },
    })
  }
})

test('what is tried again is what was claimed, whatever is shown for the same nonce later', async () => {
  const claim = claimFor(AMOUNT)
  const scene = sceneOf(claim, { ok: true }, 'exact')
  await settled(claim, { ok: true }, scene)
  expect(scene.drafted.map(({ stored }) => stored)).toEqual([storedWith('first')])
})

test('one whose blockhash the node does not know is not over at once: the payer may have had it from a node that is ahead', async () => {
  const reason = 'invalid_exact_svm_transaction_simulation_failed'
  const scene = sceneOf(undefined, { ok: true }, 'exact')
  const words: ExactCheck[] = [{ ok: false, reason, lacks: 'time' }]
  for (const { exact } of scene.deps.chains.values()) {
    if (exact === undefined) throw new Error('no exact')
    Object.assign(exact, {
      draft: async () => words.shift() ?? { ok: false, reason, lacks: 'money' },
    })
  }
  const slept: number[] = []
  const sleep = async (milliseconds: number) => void slept.push(milliseconds)
  const deps = { ...scene.deps, clock: { ...scene.deps.clock, sleep } }
  const over = new AbortController().signal
  const order = { accountId, presented: scene.presented, over }
  const soon = deps.clock.nowMilliseconds() + 60_000
  expect(await settlePayment(deps, { ...order, waitUntilMilliseconds: soon })).toMatchObject({
    ...{ kind: 'refused', lacks: 'money' },
  })
  expect(slept).toHaveLength(1)
  // Where that is the last word it is told, and nobody is waited for any longer.
  words.push(...Array.from({ length: 9 }, () => ({ ok: false, reason, lacks: 'time' }) as const))
  expect(await settlePayment(deps, { ...order, waitUntilMilliseconds: soon })).toMatchObject({
    ...{ kind: 'refused', lacks: 'time' },
  })
  expect(slept).toHaveLength(2)
})

test('whose time is over is no reason for a fresh one where no history tells whether it was paid', async () => {
  const reason = 'invalid_exact_svm_transaction_simulation_failed'
  const scene = sceneOf(undefined, { ok: true }, 'exact')
  for (const chain of scene.deps.chains.values()) {
    if (chain.exact === undefined) throw new Error('no exact')
    const signable = {} as Terms
    Object.assign(chain.exact, {
      draft: async () => ({ ok: false, reason, lacks: 'time', message: 'over', signable }),
    })
    const look = { node: 'one', finalizedHeight: 9n, height: 9n, found: false }
    Object.assign(chain, {
      config: { ...chain.config, sandbox: true },
      sign: async () => ({ hash: '0x1', raw: Uint8Array.of(1) }),
      renewal: { kind: 'lifetime', madeAfter: () => 'block', lookBack: async () => [[look]] },
    })
  }
  // The block that it was made after is remembered, once the test says so, and none after it is final.
  const remembered: { height: string }[] = []
  const tx = { query: async (name: string) => (name === 'followed_block_height' ? remembered : []) }
  const store: Partial<Store> = {
    inTransaction: async (_scope, work) => work(tx as Partial<Tx> as Tx),
  }
  const slept: number[] = []
  const sleep = async (milliseconds: number) => void slept.push(milliseconds)
  const clock = { ...scene.deps.clock, sleep }
  const signerFor = async () => ({ erase: () => undefined }) as Partial<OpenSigner> as OpenSigner
  const waitUntilMilliseconds = clock.nowMilliseconds() + 60_000
  const over = new AbortController().signal
  const settle = () =>
    settlePayment(
      { ...scene.deps, store: store as Store, clock, signerFor },
      { accountId, presented: scene.presented, over, waitUntilMilliseconds },
    )
  expect(await settle()).toMatchObject({ kind: 'refused', reason, lacks: 'time', message: 'over' })
  for (const chain of scene.deps.chains.values()) {
    Object.assign(chain, { config: { ...chain.config, sandbox: false } })
  }
  const untold = await settle()
  expect(untold).toMatchObject({ kind: 'refused', reason, message: PAST_UNTOLD })
  expect(untold).not.toHaveProperty('lacks')
  // It may have only just begun, as ever.
  expect(slept).toHaveLength(2)
  remembered.push({ height: '5' })
  const young = await settle()
  expect(young).toMatchObject({ kind: 'refused', reason: 'network_unavailable' })
  expect(young).not.toHaveProperty('lacks')
})

test('what only a key may settle that cannot sign now is verified for nobody', async () => {
  const { deps, presented } = sceneOf(undefined, { ok: true }, 'upto', LOW)
  expect(await verifyPayment(deps, accountId, presented)).toMatchObject({
    ...{ ok: false, reason: 'network_unavailable' },
  })
  const able = sceneOf(undefined, { ok: true }, 'upto', 'another' as Address)
  expect(await verifyPayment(able.deps, accountId, presented)).toMatchObject({ ok: true })
})

test('one whose approval a reorganisation took along is no final no: that goes out again', async () => {
  const approval: AwaitedApproval = {
    ...{ hash: '0x1' as TransactionHash, raw: Uint8Array.of(7), nonce: 0n, height: 9n, lacks: 0n },
    ...{ isUnderpriced: false, fundingFee: 0n, settlementFee: 0n },
  }
  const check = { ok: false, reason: 'permit2_allowance_required', approval } as const
  const claim = claimFor(AMOUNT)
  const scene = sceneOf(claim, check, 'exact')
  const heard: number[] = []
  const chains = new Map(
    [...scene.deps.chains].map(([network, chain]) => {
      const broadcast: Chain['broadcast'] = async (raws) => {
        heard.push(...raws.map(([first = 0]) => first))
        return [{ kind: 'accepted' }]
      }
      return [network, { ...chain, broadcast }]
    }),
  )
  const deps = { ...scene.deps, chains }
  expect((await settled(claim, check, { ...scene, deps })).kind).toBe('pending')
  expect(heard).toEqual([7])
})

test('one that another call has claimed while its approval was waited for is joined, not told as claimed by nobody', async () => {
  const approval: AwaitedApproval = {
    ...{ hash: '0x1' as TransactionHash, raw: Uint8Array.of(7), nonce: 0n, height: 9n, lacks: 0n },
    ...{ isUnderpriced: false, fundingFee: 0n, settlementFee: 0n },
  }
  const check = { ok: false, reason: 'permit2_allowance_required', approval } as const
  const claim = claimFor(AMOUNT)
  const scene = sceneOf(claim, check, 'exact')
  const underWay = { ...REVERTED, reverted: false, underWay: true }
  const records = { ...scene.deps.records, state: async () => underWay, wait: async () => underWay }
  // Approvals are not submitted here: what is told of one is that, at once.
  let looks = 0
  const claimOf = async () => ((looks += 1) === 1 ? undefined : claim)
  const deps = { ...scene.deps, records, claimOf }
  expect(await settled(claim, check, { ...scene, deps })).toMatchObject({
    ...{ kind: 'pending', paymentId },
  })
})

describe('a payment of upto that was claimed for another amount', () => {
  const open = { message: expect.stringMatching(/not answered yet/) as unknown }

  test('is no payment that a seller may work for', async () => {
    const { deps, presented } = sceneOf(claimFor(400n), { ok: true }, 'upto')
    expect(await verifyPayment(deps, accountId, presented)).toMatchObject({
      ...{ ok: false, reason: 'duplicate_settlement' },
      ...open,
    })
    const unclaimed = sceneOf(undefined, { ok: true }, 'upto')
    expect(await verifyPayment(unclaimed.deps, accountId, presented)).toMatchObject({ ok: true })
  })

  test('is said to be settled only when that was answered', async () => {
    expect(await settled(claimFor(400n), { ok: true })).toMatchObject({
      ...{ kind: 'duplicate', own: null },
      ...open,
    })
    const answered = await settled(claimFor(400n, { answeredAtMilliseconds: 1 }), { ok: true })
    expect(answered).not.toHaveProperty('message')
    const another = claimFor(400n, { accountId: newId(systemRandom, 'acct') })
    expect(await settled(another, { ok: true })).toMatchObject({
      message: expect.stringMatching(/claimed already/) as unknown,
    })
  })

  test('says when that came to nothing, so that its seller asks for another', async () => {
    const { deps, presented } = sceneOf(claimFor(400n), { ok: true }, 'upto')
    const records = {
      ...deps.records,
      state: async () => ({ ...REVERTED, status: 'expired' as const }),
    }
    expect(await verifyPayment({ ...deps, records }, accountId, presented)).toMatchObject({
      ...{ ok: false, reason: 'duplicate_settlement' },
      message: expect.stringMatching(/is over/) as unknown,
    })
  })
})
