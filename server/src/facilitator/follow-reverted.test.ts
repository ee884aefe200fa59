import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { AuthorizationUse, ExactCheck, ExactPayments, UsedBy } from '../chains/exact.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import type { ReceivedRecords } from './records.ts'
import { settlePayment } from './settle.ts'
import type { SettleDeps } from './settling.ts'
import { network, AMOUNT, REVERTED, accountId, claimFor, sceneOf } from './test-settle-scene.ts'

/** A clock that only sleeping moves. */
function sleepyClock() {
  let now = 0
  const sleep = async (milliseconds: number) => void (now += milliseconds)
  return { nowMilliseconds: () => now, sleep }
}

const WAITS = 30_000

describe('a lone attempt that came to nothing', () => {
  const takes: ExactCheck = { ok: true }
  type Say = (ask: number) => UsedBy

  /** Its first call, whose attempt reverts in block 7; and a later one, of which a new draft is refused. What is said each time whether it was used. */
  async function told(check: ExactCheck, say: Say) {
    const asked: bigint[][] = []
    const kinds: string[] = []
    const first = sceneOf(undefined, check, 'exact')
    for (const { exact } of first.deps.chains.values()) {
      Object.assign(exact ?? {}, { draft: async () => ({ ok: true, draft: { feeExpected: 0n } }) })
    }
    Object.assign(first.deps.funds, { note: () => true })
    const signed = { hash: '0xfeed' as TransactionHash, raw: new Uint8Array() }
    Object.assign(first.deps.claims, { claim: async () => ({ kind: 'signed', network, signed }) })
    const later = sceneOf(claimFor(AMOUNT), check, 'exact')
    for (const { deps, presented } of [first, later]) {
      const heights: bigint[] = []
      for (const { exact } of deps.chains.values()) {
        const usedBy: NonNullable<ExactPayments['usedBy']> = async (_, { height }) => {
          heights.push(height)
          return say(heights.length)
        }
        Object.assign(exact ?? {}, { usedBy })
      }
      const over = new AbortController().signal
      const order = { accountId, presented, waitUntilMilliseconds: WAITS, over }
      kinds.push((await settlePayment({ ...deps, clock: sleepyClock() }, order)).kind)
      asked.push(heights)
    }
    return { kinds, asked }
  }

  test('is told as one where nothing had used its authorization by that block', async () => {
    const said = await told(takes, () => 'unused')
    expect(said).toEqual({ kinds: ['reverted', 'refused'], asked: [[7n], [7n]] })
  })

  test('is pending where somebody was faster, whatever a node says of a draft', async () => {
    const missing: ExactCheck = { ok: false, reason: 'permit2_insufficient_balance' }
    for (const check of [takes, missing]) {
      const said = await told(check, () => 'used')
      expect(said).toEqual({ kinds: ['pending', 'pending'], asked: [[7n], [7n]] })
    }
  })

  test('is told as soon as the node has that block, and pending where it stays behind', async () => {
    const soon = await told(takes, (ask) => (ask > 2 ? 'unused' : 'behind'))
    expect(soon).toEqual({ kinds: ['reverted', 'pending'], asked: [[7n, 7n, 7n], [7n]] })
    const never = await told(takes, () => 'behind')
    expect(never).toEqual({ kinds: ['pending', 'pending'], asked: [[7n, 7n, 7n, 7n], [7n]] })
  })

  test('is pending where no node answers', async () => {
    const said = await told(takes, () => {
      throw new NodeFailure('away')
    })
    expect(said.kinds).toEqual(['pending', 'pending'])
  })
})

describe('one that nodes contradict each other about', () => {
  const reason = 'invalid_exact_evm_transaction_simulation_failed'

  /** It runs after so many looks. */
  async function toldAfter(looksInDoubt: number, waitUntilMilliseconds: number) {
    const scene = sceneOf(undefined, { ok: false, reason, isDisputed: true }, 'exact')
    let looks = 0
    for (const { exact } of scene.deps.chains.values()) {
      Object.assign(exact ?? {}, {
        draft: async () => {
          looks += 1
          return looks > looksInDoubt
            ? { ok: true, draft: { feeExpected: 0n } }
            : { ok: false, reason, isDisputed: true }
        },
      })
    }
    const signed = { hash: '0xfeed' as TransactionHash, raw: new Uint8Array() }
    const claim: SettleDeps['claims']['claim'] = async () => ({ kind: 'signed', network, signed })
    const deps: SettleDeps = {
      ...{ ...scene.deps, clock: sleepyClock() },
      claims: { ...scene.deps.claims, claim },
      funds: { ...scene.deps.funds, note: () => true },
      records: {
        ...scene.deps.records,
        wait: async () => ({ ...REVERTED, reverted: false, underWay: true }),
      },
    }
    const over = new AbortController().signal
    const order = { accountId, presented: scene.presented, waitUntilMilliseconds, over }
    return { said: await settlePayment(deps, order), looks }
  }

  test('is asked about once more, a moment later', async () => {
    const { said, looks } = await toldAfter(1, WAITS)
    expect(said).toMatchObject({ kind: 'pending' })
    expect(looks).toBe(2)
  })

  test('and refused if it still does not run, or if nobody waits so long', async () => {
    for (const [wait, most] of [
      [WAITS, 2],
      [0, 1],
    ] as const) {
      const { said, looks } = await toldAfter(100, wait)
      expect(said).toMatchObject({ kind: 'refused', reason })
      expect(looks).toBe(most)
    }
  })
})

describe('one that was used before its first call', () => {
  const used: ExactCheck = { ok: false, reason: 'permit2_invalid_nonce', isUsed: true }

  /** Its use is shown after so many looks, and says this of it. */
  async function toldAfter(looksBehind: number, use?: AuthorizationUse) {
    const scene = sceneOf(undefined, used, 'exact')
    let looks = 0
    for (const { exact } of scene.deps.chains.values()) {
      Object.assign(exact ?? {}, {
        findForeign: async () => {
          looks += 1
          return looks > looksBehind ? use : { kind: 'behind' }
        },
      })
    }
    let claim: Claim | undefined
    const query = async (name: string, _text: string, values?: readonly unknown[]) => {
      if (name === 'follower_height') return [{ height: '9' }]
      if (name !== 'claims_insert') return []
      claim = claimFor(AMOUNT)
      return [{ payment_id: /pay_\w+/.exec(JSON.stringify(values))?.[0] }]
    }
    const tx = { query } as Partial<Tx> as Tx
    const records: Partial<ReceivedRecords> = {
      ...scene.deps.records,
      open: async () => undefined,
      depositOf: async () => undefined,
      paidElsewhere: async () => 'paid',
      state: async () => ({ ...REVERTED, reverted: false, status: 'confirmed' }),
      wait: async () => ({ ...REVERTED, reverted: false, status: 'confirmed' }),
    }
    const store: Partial<Store> = { inTransaction: async (_scope, work) => work(tx) }
    const deps: SettleDeps = {
      ...{ ...scene.deps, clock: sleepyClock(), store: store as Store },
      ...{ records: records as ReceivedRecords, claimOf: async () => claim },
    }
    const over = new AbortController().signal
    const order = { accountId, presented: scene.presented, waitUntilMilliseconds: WAITS, over }
    return { said: await settlePayment(deps, order), looks }
  }

  test('is looked for again where the node that shows by what is behind', async () => {
    const { said, looks } = await toldAfter(2)
    expect(said).toMatchObject({ kind: 'refused', reason: 'permit2_invalid_nonce' })
    expect(looks).toBe(3)
  })

  test('is joined also where the last of those looks finds it', async () => {
    const place = { hash: '0xfeed' as TransactionHash, height: 3n, blockHash: 'a3', logIndex: 4 }
    const { said, looks } = await toldAfter(3, { kind: 'paid', settlement: place })
    expect(said).toMatchObject({ kind: 'pending' })
    expect(looks).toBe(4)
  })

  test('is no bad payment where that node stays behind: the same call again may find it', async () => {
    const { said, looks } = await toldAfter(100)
    expect(said).toMatchObject({ kind: 'refused', reason: 'network_unavailable' })
    expect(looks).toBe(4)
  })
})
