import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { baseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address } from '../chains/chain.ts'
import type { Built, Preparation } from '../chains/self-custody.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import { limits } from '../kernel/limits.ts'
import { newId } from '../kernel/id.ts'
import { systemRandom } from '../kernel/random.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import { abandonBuild } from './abandon.ts'
import { openBuildQueue } from './build-queue.ts'
import type { BuildResult } from './build-transaction.ts'
import { decided } from './commit-builds.ts'
import { submitTransaction } from './submit.ts'
import { bytesOf, openScene, RECIPIENT, SENDER } from './test-scene.ts'
import type { Bytes, Scene } from './test-scene.ts'

const DAY = 86_400_000
const HOLDS_PLACE = limits.buildValidSeconds * 1000
const MADE_IN_TIME = limits.approvalResentSeconds * 1000
const ROUTER = '0x00000000000000000000000000000000000000f2' as Address

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
  scene = await openScene(database.store)
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

/** What is signed, before it is: a sale, or the allowance before it. */
function bytes(to: string, amount: string, nonce: bigint, commitment: string): Bytes {
  return { sender: SENDER, nonce: `${nonce}`, commitment, to, amount, blockhash: 'b' }
}

function preparation(to: Address, amount: string, commitment: string): Preparation {
  const fee = { max: 10n, priority: 1n, accountRent: 0n }
  return {
    balances: scene.script.balances,
    fee,
    build: (taken): Built => {
      let nonce = scene.script.nextNonce
      while (taken.includes(nonce)) nonce += 1n
      return {
        ...{ nonce, fee, transaction: bytesOf(bytes(to, amount, nonce, commitment)) },
        ...{ format: 'eip1559-rlp', lastValidBlockHeight: 150n, validSeconds: 60 },
        ...{ expiryEnforcedByChain: false, carriesCommitment: commitment !== '' },
        summary: {
          feePayer: SENDER,
          transfers: [],
          commitments: commitment === '' ? [] : [commitment],
          ...{ createsAccounts: [], others: [] },
        },
        unsigned: {
          ...{ to, value: 0n, nonce, gas: 1n, maxFeePerGas: 1n, maxPriorityFeePerGas: 1n },
          data: `0x${Buffer.from(`"amount":"${amount}"`).toString('hex')}`,
          chainId: 84_532n,
        },
      }
    },
  }
}

/** A sale whose allowance takes the place before it. */
async function sale(accountId = scene.accounts[0]): Promise<BuildResult> {
  const native = scene.chain.config.assets.find(({ asset }) => asset === 'native')
  if (native === undefined) throw new Error('no native asset')
  const commitment = systemRandom.bytes(32)
  const decision = decided(
    await openBuildQueue(scene.deps).submit(scene.chain, {
      request: {
        ...{ accountId, chain: scene.chain, sender: SENDER },
        ...{ recipient: RECIPIENT, asset: native, amount: baseUnits(5n), priorityFee: null },
        ...{ resource: null, metadataText: null, once: null },
      },
      paymentId: newId(systemRandom, 'pay'),
      commitment,
      preparation: preparation(RECIPIENT, '5', Buffer.from(commitment).toString('hex')),
      allowance: preparation(ROUTER, '7', ''),
    }),
  )
  if (decision.kind !== 'stored') throw new Error('it was stored before')
  return { build: decision.build, state: decision.state, replayed: false }
}

async function submit(text: string, key: string | null = null, accountId = scene.accounts[0]) {
  const once = key === null ? null : { key, fingerprint: fingerprint({ text }) }
  return await submitTransaction(scene.deps, { accountId, chain: scene.chain, text, once })
}

function signed(unsigned: Bytes, hash: string): string {
  return Buffer.from(bytesOf({ ...unsigned, hash })).toString('base64')
}

function allowanceOf({ build }: BuildResult, change: Partial<Bytes> = {}): Bytes {
  return { ...bytes(ROUTER, '7', (build.nonce ?? 0n) - 1n, ''), ...change }
}

const stored = async () =>
  await database.store.query<{ hash: string; is_approval: boolean }>(
    'test_forms',
    'select hash, is_approval from submissions order by hash',
  )

describe('an allowance that its owner has signed', () => {
  test('is stored before it is sent, and sent again until its sale is seen', async () => {
    const built = await sale()
    const result = await submit(signed(allowanceOf(built), 'h1'))
    expect(result).toMatchObject({ isApproval: true, verdict: { kind: 'accepted' } })
    expect(result.build.paymentId).toBe(built.build.paymentId)
    expect(await stored()).toEqual([{ hash: 'h1', is_approval: true }])
    expect(scene.sent).toEqual(['1 stored'])
    scene.later(3_000)
    await scene.resend()
    expect(scene.sent).toHaveLength(2)
    await scene.mine('a', 101, 1, scene.paid(built))
    scene.later(DAY)
    await scene.resend()
    expect(scene.sent).toHaveLength(2)
  })

  test('is no form of the sale: the sale is taken beside it, and still says its own status', async () => {
    const built = await sale()
    await submit(signed(allowanceOf(built), 'h1'))
    const own = JSON.parse(new TextDecoder().decode(built.build.transaction)) as Bytes
    expect(await submit(signed(own, 'h2'))).toMatchObject({
      ...{ isApproval: false, hash: 'h2', state: { status: 'pending' } },
    })
    expect(await stored()).toEqual([
      { hash: 'h1', is_approval: true },
      { hash: 'h2', is_approval: false },
    ])
  })

  test('of another amount, for another spender or in another place is refused, and not stored', async () => {
    const built = await sale()
    for (const change of [{ amount: '8' }, { nonce: '99' }, { sender: RECIPIENT }]) {
      await expect(submit(signed(allowanceOf(built, change), 'h1'))).rejects.toThrow(Refusal)
    }
    expect([await stored(), scene.sent]).toEqual([[], []])
  })

  test('is known by its own place, also where another build stands between it and its sale', async () => {
    const given = await scene.build()
    const between = await scene.build()
    await abandonBuild(scene.deps, scene.accounts[0], given.build.paymentId)
    const built = await sale()
    const allowance = allowanceOf(built, { nonce: `${given.build.nonce}` })
    expect(built.build.nonce).toBe((between.build.nonce ?? 0n) + 1n)
    const result = await submit(signed(allowance, 'h1'))
    expect(result).toMatchObject({ isApproval: true, verdict: { kind: 'accepted' } })
    expect(result.build.paymentId).toBe(built.build.paymentId)
  })

  test('answers the same request again, and refuses its key for another', async () => {
    const built = await sale()
    const text = signed(allowanceOf(built), 'h1')
    expect(await submit(text, 'one')).toMatchObject({ replayed: false })
    expect(await submit(text, 'one')).toMatchObject({ replayed: true, isApproval: true })
    const own = built.build.transaction
    await expect(submit(Buffer.from(own).toString('base64'), 'one')).rejects.toThrow(Refusal)
  })

  test('is stored for each account that built the sale, and sent for the one that wants it sent', async () => {
    const [owner, stranger] = scene.accounts
    const theirs = await sale(stranger)
    const text = signed(allowanceOf(theirs), 'h1')
    await submit(text, null, stranger)
    const own = await sale(owner)
    expect(signed(allowanceOf(own), 'h1')).toBe(text)
    const result = await submit(text, null, owner)
    expect(result).toMatchObject({ isApproval: true, verdict: { kind: 'accepted' } })
    expect(result.build.paymentId).toBe(own.build.paymentId)
    expect(await stored()).toHaveLength(2)
    await abandonBuild(scene.deps, stranger, theirs.build.paymentId)
    scene.later(3_000)
    await scene.resend()
    expect(scene.sent).toHaveLength(3)
  })

  test('is sent again for the newest of the sales it was built for, once an older one is given up', async () => {
    const first = await sale()
    const text = signed(allowanceOf(first), 'h1')
    await submit(text)
    // Its place may be used again.
    scene.later(HOLDS_PLACE + 1)
    const second = await sale()
    expect(signed(allowanceOf(second), 'h1')).toBe(text)
    const result = await submit(text)
    expect(result.build.paymentId).toBe(second.build.paymentId)
    await abandonBuild(scene.deps, scene.accounts[0], first.build.paymentId)
    scene.later(3_000)
    await scene.resend()
    expect(scene.sent).toHaveLength(3)
  })

  test('is sent no more once its sale could not be made in time, and again when its owner brings it again', async () => {
    const built = await sale()
    const text = signed(allowanceOf(built), 'h1')
    await submit(text)
    scene.later(HOLDS_PLACE + MADE_IN_TIME - 1_000)
    await scene.resend()
    expect(scene.sent).toHaveLength(2)
    scene.later(DAY)
    await scene.resend()
    expect(scene.sent).toHaveLength(2)
    const due = 'select from submissions where due_at is not null'
    expect(await database.store.query('test_due', due)).toEqual([])
    await submit(text)
    expect(scene.sent).toHaveLength(3)
  })
})
