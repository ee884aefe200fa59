import { describe, expect, test } from 'vitest'
import { NodeFailure } from '../chains/chain.ts'
import type { TransactionHash } from '../chains/chain.ts'
import type { ExactCheck, ExactPayments } from '../chains/exact.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { settlePayment } from './settle.ts'
import type { SettleDeps } from './settle.ts'
import { network, AMOUNT, accountId, claimFor, sceneOf } from './test-settle-scene.ts'

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
