import { baseUnits } from '@florin/wire/amount.ts'
import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { Address, Chain, TransactionHash } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type {
  ExactAuthorization,
  ExactCheck,
  ExactPayments,
  ForeignSettlement,
  PaymentScheme,
} from '../chains/exact.ts'
import type { Wallet } from '../custody/wallet.ts'
import { systemClock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { termsDigest } from './claim.ts'
import type { Presented } from './intake.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'
import { settlePayment } from './settle.ts'
import type { SettleDeps } from './settle.ts'
import { verifyPayment } from './verify.ts'

const config = testNetwork(84_532)
const { network } = config
const asset = config.assets.find((known) => known.asset !== 'native')
if (asset === undefined) throw new Error('no token')
const PAYER = 'payer' as Address
const SELLER = 'seller' as Address
const LOW = 'a key that is low' as Address
const AMOUNT = 500n
const accountId = newId(systemRandom, 'acct')
const paymentId = newId(systemRandom, 'pay')
const KEY = proofKey('permit2:payer:7')

/** Our attempt was included and came to nothing; nothing of ours is under way. */
const REVERTED: ReceivedState = {
  ...{ status: 'pending', released: false, hash: null, logIndex: null, blockHeight: null },
  ...{ blockHash: null, block: 'unknown', reverted: true, wasShared: false },
  ...{ revertedWhole: false, isFinal: false, underWay: false, attemptHeight: 7n },
}

/** A payment of 500 with a signature of its own, as it is stored. */
function storedWith(signature: string): Readonly<Record<string, string>> {
  return { token: asset?.asset ?? '', from: PAYER, to: SELLER, value: `${AMOUNT}`, signature }
}

function claimFor(amount: bigint, change: Partial<Claim> = {}): Claim {
  const terms = { network, asset: asset?.asset ?? '', payTo: SELLER, amount, resource: null }
  return {
    ...{ paymentId, accountId, network, proofKey: KEY, termsDigest: termsDigest(terms) },
    ...{ x402Version: 2, stored: storedWith('first'), validBeforeSeconds: 2n ** 40n },
    judged: [],
    ...{ sinceHeight: 0n, facilitator: null, builtUntilMilliseconds: null, isSoft: false },
    ...{ looks: 0, answeredAtMilliseconds: null },
    ...change,
  }
}

interface Scene {
  readonly deps: SettleDeps
  readonly presented: Presented
  /** What settling was drafted for. */
  readonly drafted: readonly ExactAuthorization[]
}

/** A payment that its chain takes or refuses as said, with a claim of it; a new draft is refused. */
function sceneOf(
  claim: Claim | undefined,
  check: ExactCheck,
  scheme: PaymentScheme,
  onlySettler?: Address,
): Scene {
  const drafted: ExactAuthorization[] = []
  const authorization: ExactAuthorization = {
    ...{ proofKey: KEY, payer: PAYER, asset, payTo: SELLER, amount: baseUnits(AMOUNT) },
    ...{ validBeforeSeconds: 2n ** 40n, feePayer: null, permit2: scheme },
    stored: storedWith('second'),
    ...(onlySettler === undefined ? {} : { onlySettler }),
  } as ExactAuthorization
  const exact: Partial<ExactPayments> = {
    read: () => ({ ok: true, authorization }),
    draft: async (asked) => {
      drafted.push(asked)
      return check.ok ? { ok: false, reason: 'permit2_simulation_failed' } : check
    },
    check: async () => check,
    findForeign: async () => undefined,
  }
  const chain: Chain = scriptedChain(config, {
    exact: exact as ExactPayments,
    parseAddress: (text) => text as Address,
    addressBytes: () => Uint8Array.of(1),
  })
  const tx = { query: async () => [] } as Partial<Tx> as Tx
  const store: Partial<Store> = { inTransaction: async (_scope, work) => work(tx) }
  const records: Partial<ReceivedRecords> = {
    state: async () => REVERTED,
    wait: async () => REVERTED,
    listen: () => ({ hasChanged: () => false, end: () => undefined }),
  }
  const deps: Partial<SettleDeps> = {
    ...{ store: store as Store, records: records as ReceivedRecords, random: systemRandom },
    ...{ clock: systemClock, chains: new Map([[network, chain]]), settlersOf: () => new Set() },
    claimOf: async () => claim,
    claims: { coming: () => () => undefined } as Partial<
      SettleDeps['claims']
    > as SettleDeps['claims'],
    receiverOf: async () => undefined,
    settlers: { next: () => ({ address: 'key' }) as Wallet } as Partial<
      SettleDeps['settlers']
    > as SettleDeps['settlers'],
    funds: { isLow: (_, key) => key === LOW } as Partial<
      SettleDeps['funds']
    > as SettleDeps['funds'],
  }
  const requirements = {
    ...{ scheme, network, asset: asset?.asset, amount: `${AMOUNT}`, payTo: SELLER },
    ...{ maxTimeoutSeconds: 60, extra: {} },
  }
  const payload = { permit2Authorization: {} }
  const paymentPayload = { x402Version: 2, accepted: requirements, payload }
  const presented = { paymentPayload, paymentRequirements: requirements }
  return { deps: deps as SettleDeps, presented, drafted }
}

/** Settles it. */
function settled(claim: Claim, check: ExactCheck, by = sceneOf(claim, check, 'exact')) {
  const over = new AbortController().signal
  const { deps, presented } = by
  return settlePayment(deps, { accountId, presented, waitUntilMilliseconds: 0, over })
}

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
  const judged = (check: ExactCheck) => {
    for (const { exact } of scene.deps.chains.values()) {
      if (exact === undefined) throw new Error('no exact')
      Object.assign(exact, {
        check: async (authorization: ExactAuthorization) => {
          asked.push(authorization)
          return check
        },
      })
    }
  }
  await settled(claimFor(AMOUNT), { ok: true }, scene)
  expect(scene.drafted).toMatchObject([{ wasJudged: true }])
  // Another call was at it, and comes to its end while this one waits.
  judged({ ok: false, reason: 'invalid_permit2_signature', isUsed: true })
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

describe('a lone attempt that came to nothing', () => {
  const takes: ExactCheck = { ok: true }
  type IsUsedAt = NonNullable<ExactPayments['isUsedAt']>

  /** Its first call, whose attempt reverts in block 7; and a later one, of which a new draft is refused. */
  async function told(check: ExactCheck, isUsedAt: IsUsedAt) {
    const asked: bigint[] = []
    const first = sceneOf(undefined, check, 'exact')
    const later = sceneOf(claimFor(AMOUNT), check, 'exact')
    for (const { exact } of [first, later].flatMap(({ deps }) => [...deps.chains.values()])) {
      const at: IsUsedAt = (authorization, height) => {
        asked.push(height)
        return isUsedAt(authorization, height)
      }
      Object.assign(exact ?? {}, { isUsedAt: at })
    }
    for (const { exact } of first.deps.chains.values()) {
      Object.assign(exact ?? {}, { draft: async () => ({ ok: true, draft: { feeExpected: 0n } }) })
    }
    Object.assign(first.deps.funds, { note: () => true })
    const signed = { hash: '0xfeed' as TransactionHash, raw: new Uint8Array() }
    Object.assign(first.deps.claims, { claim: async () => ({ kind: 'signed', network, signed }) })
    const kinds: string[] = []
    for (const { deps, presented } of [first, later]) {
      const over = new AbortController().signal
      const order = { accountId, presented, waitUntilMilliseconds: 0, over }
      const said = await settlePayment(deps, order)
      kinds.push(said.kind)
    }
    return { kinds, asked }
  }

  test('is told as one where nothing had used its authorization in that block', async () => {
    const said = await told(takes, async () => false)
    expect(said).toEqual({ kinds: ['reverted', 'refused'], asked: [7n, 7n] })
  })

  test('is pending where somebody was faster, though the node that is asked next does not have that block', async () => {
    const missing: ExactCheck = { ok: false, reason: 'permit2_insufficient_balance' }
    for (const check of [takes, missing]) {
      const said = await told(check, async () => true)
      expect(said).toEqual({ kinds: ['pending', 'pending'], asked: [7n, 7n] })
    }
  })

  test('is pending where no node has that block', async () => {
    const said = await told(takes, async () => {
      throw new NodeFailure('header not found')
    })
    expect(said.kinds).toEqual(['pending', 'pending'])
  })
})

describe('one that was used before its first call', () => {
  const used: ExactCheck = { ok: false, reason: 'permit2_invalid_nonce', isUsed: true }

  /** Its use is shown after so many looks. */
  async function toldAfter(looksBehind: number) {
    const scene = sceneOf(undefined, used, 'exact')
    let looks = 0
    for (const { exact } of scene.deps.chains.values()) {
      Object.assign(exact ?? {}, {
        findForeign: async () => {
          looks += 1
          return looks > looksBehind ? undefined : { kind: 'behind' }
        },
      })
    }
    const tx = {
      query: async (name: string) => (name === 'follower_height' ? [{ height: '9' }] : []),
    } as Partial<Tx> as Tx
    const store: Partial<Store> = { inTransaction: async (_scope, work) => work(tx) }
    const slept: number[] = []
    const clock = { nowMilliseconds: () => 0, sleep: async (ms: number) => void slept.push(ms) }
    const deps: SettleDeps = { ...scene.deps, clock, store: store as Store }
    const over = new AbortController().signal
    const { presented } = scene
    const order = { accountId, presented, waitUntilMilliseconds: 30_000, over }
    return { said: await settlePayment(deps, order), looks, pauses: slept.length }
  }

  test('is looked for again where the node that shows by what is behind', async () => {
    const { said, looks, pauses } = await toldAfter(2)
    expect(said).toMatchObject({ kind: 'refused', reason: 'permit2_invalid_nonce' })
    expect({ looks, pauses }).toEqual({ looks: 3, pauses: 2 })
  })

  test('is no bad payment where that node stays behind: the same call again may find it', async () => {
    const { said, looks } = await toldAfter(100)
    expect(said).toMatchObject({ kind: 'refused', reason: 'network_unavailable' })
    expect(looks).toBe(4)
  })
})

test('one that is unused is told why it does not settle now', async () => {
  const reason = 'permit2_insufficient_balance'
  const said = await settled(claimFor(AMOUNT), { ok: false, reason })
  expect(said).toMatchObject({ kind: 'refused', reason })
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

test('what only a key may settle that cannot sign now is verified for nobody', async () => {
  const { deps, presented } = sceneOf(undefined, { ok: true }, 'upto', LOW)
  expect(await verifyPayment(deps, accountId, presented)).toMatchObject({
    ...{ ok: false, reason: 'network_unavailable' },
  })
  const able = sceneOf(undefined, { ok: true }, 'upto', 'another' as Address)
  expect(await verifyPayment(able.deps, accountId, presented)).toMatchObject({ ok: true })
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
