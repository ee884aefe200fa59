import { baseUnits } from '@florin/wire/amount.ts'
import { expect, test } from 'vitest'
import type { Address, TransactionHash } from '../chains/chain.ts'
import { NodeFailure } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type {
  AuthorizationUse,
  ExactAuthorization,
  ExactCheck,
  ExactPayments,
} from '../chains/exact.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId } from '../kernel/id.ts'
import { openLog } from '../kernel/log.ts'
import { systemRandom } from '../kernel/random.ts'
import type { OutboundOutcome } from '../outbound/outbound.ts'
import { testNetwork } from '../payments/test-lane.ts'
import { scriptedChain } from '../sender/test-chain.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { termsDigest } from './claim.ts'
import type { ReceivedRecords, ReceivedState } from './records.ts'
import { openRemoteClient } from './remote.ts'
import type { RemoteClient } from './remote.ts'
import type { Remotes } from './remotes.ts'
import { settleElsewhere } from './settle-elsewhere.ts'
import type { ElsewhereDeps } from './settle-elsewhere.ts'

const config = testNetwork(84_532)
const { network } = config
const USDC = config.assets.find(({ asset }) => asset !== 'native')
const PAYER = 'payer' as Address
const SELLER = 'seller' as Address
const accountId = newId(systemRandom, 'acct')
const KEY = proofKey('a proof')
const ANOTHER = newId(systemRandom, 'acct')
const PAID: AuthorizationUse = {
  kind: 'paid',
  settlement: { hash: '0xfeed' as TransactionHash, height: 3n, blockHash: 'a3', logIndex: 4 },
}
const NO = 'invalid_exact_evm_nonce_already_used'
const OTHER = 'https://other.example'
const NO_MONEY = 'invalid_exact_evm_insufficient_balance'

const REFUSAL: OutboundOutcome = {
  ...{ kind: 'answered', status: 200, headers: new Map() },
  body: Buffer.from(JSON.stringify({ success: false, errorReason: NO_MONEY })),
}

const OPEN: ReceivedState = {
  ...{ status: 'pending', released: false, hash: null, logIndex: null, blockHeight: null },
  ...{ blockHash: null, block: 'unknown', reverted: false, wasShared: false },
  ...{ revertedWhole: false, isFinal: false, isDeep: true, underWay: false, attemptBlock: null },
}

interface Said {
  readonly kind: string
  readonly reason: string | undefined
  readonly asked: ExactAuthorization
  readonly turn: readonly unknown[]
  /** Another call may take the turn at once. */
  readonly isGivenBack: boolean
  /** How often the chain was searched for what used it. */
  readonly searches: number
  /** How often the other facilitator was called, heard or not. */
  readonly calls: number
}

interface Sayings {
  /** The other facilitator was asked before, and did not answer. */
  readonly wasAsked?: boolean
  /** Another call has had it asked once more, since it refused. */
  readonly isAskedAgain?: boolean
  /** How it stands since the other facilitator was asked. */
  readonly since?: ReceivedState
  /** How it stands once the chain was asked what it refuses. */
  readonly atLast?: ReceivedState
  /** Whose the receiver is; null: nobody's. */
  readonly receiver?: typeof ANOTHER | null
  /** What a search of the chain shows. */
  readonly use?: AuthorizationUse
  /** What becomes of each call to the other facilitator. Left out: it refuses. */
  readonly outcomes?: readonly OutboundOutcome[]
}

/** What is said of an own claim which the other facilitator refuses, and of which the chain says this; or of no claim, to a receiver of another's. */
async function said(
  check: () => ExactCheck,
  stands: ReceivedState = OPEN,
  isClaimed = true,
  {
    wasAsked = false,
    isAskedAgain = false,
    since = stands,
    atLast = stands,
    receiver = ANOTHER,
    use = PAID,
    outcomes = [],
  }: Sayings = {},
): Promise<Said> {
  if (USDC === undefined) throw new Error('no token')
  const authorization: ExactAuthorization = {
    ...{ proofKey: KEY, payer: PAYER, asset: USDC, payTo: SELLER, amount: baseUnits(500n) },
    ...{ validBeforeSeconds: 9n, feePayer: null, stored: { signature: 'shown' } },
  }
  const asked: ExactAuthorization[] = []
  let searches = 0
  let now = 0
  const clock: Clock = {
    ...systemClock,
    nowMilliseconds: () => now,
    sleep: async (milliseconds) => {
      now += milliseconds
    },
  }
  const exact: Partial<ExactPayments> = {
    read: () => ({ ok: true, authorization }),
    check: async (it) => {
      asked.push(it)
      return check()
    },
    findForeign: async () => {
      searches += 1
      return isClaimed ? undefined : use
    },
  }
  const chain = scriptedChain(config, {
    exact: exact as ExactPayments,
    parseAddress: (text) => text as Address,
    addressBytes: () => Uint8Array.of(1),
  })
  const terms = { network, asset: USDC.asset, payTo: SELLER, amount: 500n, resource: null }
  const claim: Partial<Claim> = {
    ...{ paymentId: newId(systemRandom, 'pay'), accountId, network, proofKey: KEY },
    ...{ termsDigest: termsDigest(terms), stored: {}, isSoft: false, answeredAtMilliseconds: null },
  }
  // The turn to ask is free.
  const turn: unknown[] = []
  let isGivenBack = false
  const tx: Partial<Tx> = {
    query: async <Row extends object>(name: string, _: string, values?: readonly unknown[]) => {
      if (name === 'receiver_account') return [{ account_id: ANOTHER } as object as Row]
      if (name === 'follower_height') return [{ height: '9', halted_reason: null } as object as Row]
      if (name === 'claim_turn_back') isGivenBack = true
      if (name === 'claim_turn_taken') return isAskedAgain ? [{} as object as Row] : []
      if (name !== 'claim_turn') return []
      turn.push(...(values ?? []))
      return [{ was_asked: wasAsked } as object as Row]
    },
  }
  const store: Partial<Store> = { inTransaction: async (_, work) => work(tx as Tx) }
  const records: Partial<ReceivedRecords> = {
    depositOf: async () => undefined,
    state: async () => (asked.length > 1 ? atLast : stands),
    // Nothing happens until the time is over.
    wait: async (_payment, { atMilliseconds }) => {
      now = Math.max(now, atMilliseconds)
      return since
    },
  }
  const remotes: Partial<Remotes> = { keep: (asking) => asking }
  const deps: Partial<ElsewhereDeps> = {
    ...{ store: store as Store, records: records as ReceivedRecords, random: systemRandom },
    ...{ clock, chains: new Map([[network, chain]]), settlersOf: () => new Set() },
    ...{ claimOf: async () => (isClaimed ? (claim as Claim) : undefined) },
    ...{ remotes: remotes as Remotes, log: openLog('silent') },
    receiverOf: async () => (isClaimed || receiver === null ? undefined : receiver),
  }
  let calls = 0
  const outbound = {
    request: async () => {
      calls += 1
      return outcomes[calls - 1] ?? REFUSAL
    },
  }
  const { signal: over } = new AbortController()
  const remote: RemoteClient = openRemoteClient(outbound, { url: OTHER, key: null }, over)
  const requirements = {
    ...{ scheme: 'exact', network, asset: USDC.asset, amount: '500', payTo: SELLER },
    ...{ maxTimeoutSeconds: 60, extra: {} },
  }
  const paymentPayload = { x402Version: 2, accepted: requirements, payload: {} }
  const settled = await settleElsewhere(deps as ElsewhereDeps, {
    ...{ accountId, presented: { paymentPayload, paymentRequirements: requirements } },
    ...{ remote, over },
    waitUntilMilliseconds: now + 25_000,
  })
  const [first] = asked
  if (first === undefined) throw new Error('the chain was not asked')
  const reason = settled.kind === 'refused' ? settled.reason : undefined
  return { kind: settled.kind, reason, asked: first, turn, isGivenBack, searches, calls }
}

test('what another facilitator refuses is refused when the chain shows it unused', async () => {
  expect(await said(() => ({ ok: true }))).toMatchObject({ kind: 'refused', isGivenBack: true })
})

test('and not where it did not answer before: what it did then may be under way', async () => {
  const sayings = { wasAsked: true }
  const settled = await said(() => ({ ok: true }), OPEN, true, sayings)
  // Nor is that forgotten for the next call.
  expect(settled).toMatchObject({ kind: 'pending', isGivenBack: false })
})

test('nor while another call has it asked once more: what comes of that is not known', async () => {
  const sayings = { isAskedAgain: true }
  expect(await said(() => ({ ok: true }), OPEN, true, sayings)).toMatchObject({ kind: 'pending' })
})

test('nor while another call has us settle it: the chain shows that only when it is in', async () => {
  const sayings = { since: { ...OPEN, underWay: true } }
  expect(await said(() => ({ ok: true }), OPEN, true, sayings)).toMatchObject({ kind: 'pending' })
})

test('nor where another call has begun to settle it while the chain was asked', async () => {
  for (const atLast of [
    { ...OPEN, underWay: true },
    { ...OPEN, status: 'confirmed' as const },
  ]) {
    expect(await said(() => ({ ok: true }), OPEN, true, { atLast })).toMatchObject({
      kind: 'pending',
    })
  }
})

test('one that was not reached is asked again, as long as it certainly heard nothing', async () => {
  const unheard = { kind: 'failed', reason: 'not_connected', mayHaveArrived: false } as const
  const again = await said(() => ({ ok: true }), OPEN, true, { outcomes: [unheard, unheard] })
  expect(again).toMatchObject({ kind: 'refused', reason: NO_MONEY, isGivenBack: true, calls: 3 })

  const unknown = { kind: 'failed', reason: 'broken_answer', mayHaveArrived: true } as const
  const once = await said(() => ({ ok: true }), OPEN, true, { outcomes: [unheard, unknown] })
  expect(once).toMatchObject({ kind: 'pending', calls: 2 })
})

test('nor where the next block shows it used: the other one had a node that was ahead', async () => {
  let looks = 0
  const check = (): ExactCheck => {
    looks += 1
    // The first look comes before its word.
    return looks <= 2 ? { ok: true } : { ok: false, reason: NO, isUsed: true }
  }
  expect(await said(check)).toMatchObject({ kind: 'pending' })
})

test('one that was used before it was claimed is no bad payment where the node that shows by what stays behind', async () => {
  const used = { ok: false, reason: NO, isUsed: true } as const
  const sayings = { receiver: null, use: { kind: 'behind' } } as const
  expect(await said(() => used, OPEN, false, sayings)).toMatchObject({
    ...{ kind: 'refused', reason: 'network_unavailable', searches: 4 },
  })
})

test('and not while we settle it again by ourselves', async () => {
  const shared = { ...OPEN, reverted: true, wasShared: true }
  expect(await said(() => ({ ok: true }), shared)).toMatchObject({ kind: 'pending' })
})

test('the signature that is handed over is kept with the turn', async () => {
  const { turn } = await said(() => ({ ok: true }))
  expect(turn).toEqual(expect.arrayContaining([JSON.stringify({ signature: 'shown' }), '9']))
})

test('a claimed payment that was used is pending until the chain says by what, whoever vouches for it now', async () => {
  const used = { ok: false, reason: 'invalid_exact_evm_signature', isUsed: true } as const
  expect(await said(() => used)).toMatchObject({ kind: 'pending', asked: { wasJudged: true } })
})

test('what was used by nobody knows what is searched for less and less often', async () => {
  const used = { ok: false, reason: NO, isUsed: true } as const
  const { searches } = await said(() => used)
  expect(searches).toBeGreaterThan(3)
  expect(searches).toBeLessThan(12)
})

test('what was paid to a receiver of another account is refused, and not searched for', async () => {
  const used = { ok: false, reason: NO, isUsed: true } as const
  expect(await said(() => used, OPEN, false)).toMatchObject({
    ...{ kind: 'refused', reason: 'receiver_of_another_account', searches: 0 },
  })
})

test('a look that failed is no word on it', async () => {
  const failing = () => {
    throw new NodeFailure('away')
  }
  expect(await said(failing)).toMatchObject({ kind: 'pending' })
})
