import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Refusal } from '@florin/wire/errors.ts'
import type { AccountId } from '../kernel/id.ts'
import { openTestDatabase } from '../store/test-database.ts'
import type { TestDatabase } from '../store/test-database.ts'
import type { BuildResult } from './build-transaction.ts'
import { submitTransaction } from './submit.ts'
import { bytesOf, openScene } from './test-scene.ts'
import type { Bytes, Scene } from './test-scene.ts'

let database: TestDatabase
let scene: Scene
beforeEach(async () => {
  database = await openTestDatabase()
})
afterEach(async () => {
  await scene.expectSound()
  await database.close()
})

/** What was built, signed, after a change. */
function signed({ build }: BuildResult, change: Partial<Bytes> = {}): string {
  const built = JSON.parse(new TextDecoder().decode(build.transaction)) as Bytes
  return Buffer.from(bytesOf({ ...built, hash: 'h1', ...change })).toString('base64')
}

async function submit(text: string, accountId: AccountId = scene.accounts[0]): Promise<unknown> {
  try {
    const request = { accountId, chain: scene.chain, text, once: null }
    const { hash, verdict, state } = await submitTransaction(scene.deps, request)
    return `${hash} ${verdict.kind} ${state.status}`
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return error.details?.['transaction'] ?? error.code
  }
}

const storedForms = async () => {
  const rows = await database.store.query<{ hash: string; last_verdict: string | null }>(
    'test_forms',
    'select hash, last_verdict from submissions order by hash',
  )
  return rows.map((row) => `${row.hash} ${row.last_verdict}`)
}

describe.each(['evm', 'solana'] as const)('signed bytes on %s', (family) => {
  beforeEach(async () => {
    scene = await openScene(database.store, family)
  })

  test('of a build are stored and sent, and sent again when they come again', async () => {
    const built = await scene.build()
    scene.script.verdict = { kind: 'unknown', reason: 'test' }
    expect(await submit(signed(built))).toBe('h1 unknown pending')
    expect(await storedForms()).toEqual(['h1 unknown'])
    scene.script.verdict = { kind: 'accepted' }
    expect(await submit(signed(built))).toBe('h1 accepted pending')
    expect(await storedForms()).toEqual(['h1 accepted'])
    expect(scene.sent).toEqual(['1 stored', '1 stored'])
  })

  test.each([
    ['another amount', { amount: '6' }, 'does something else'],
    ['another recipient', { to: '0xe1' }, 'does something else'],
    ['another lifetime', { blockhash: 'c' }, 'another lifetime'],
    ['another signer', { sender: '0xe1' }, 'not signed by the wallet'],
    [
      'another commitment and place',
      { commitment: '00', nonce: null, sender: '0xe1' },
      'built for your account',
    ],
  ])('with %s are refused, and nothing is stored or sent', async (_, change, rule) => {
    expect(await submit(signed(await scene.build(), change))).toContain(rule)
    expect([await storedForms(), scene.sent]).toEqual([[], []])
  })

  test("of somebody else's build are refused", async () => {
    const text = signed(await scene.build())
    expect(await submit(text, scene.accounts[1])).toContain('built for your account')
  })

  test('without a signature are refused', async () => {
    const { build } = await scene.build()
    const text = Buffer.from(build.transaction).toString('base64')
    expect(await submit(text)).toContain('signature of its sender')
  })

  test('in a second form are taken only where the two share a place', async () => {
    const built = await scene.build()
    await submit(signed(built))
    const second = await submit(signed(built, { hash: 'h2' }))
    if (family === 'evm') expect(second).toBe('h2 accepted pending')
    else expect(second).toContain('both could pay')
  })

  test('of what another form has paid are refused, and the one that paid is known', async () => {
    const built = await scene.build()
    const paid = scene.paid(built)
    await scene.mine('a', 101, 1, paid)
    expect(await submit(signed(built))).toContain('do not pay again')
    expect(await submit(signed(built, { hash: paid.transactionHash }))).toContain('known confirmed')
    expect(scene.sent).toEqual([])
  })
})

test('signed bytes of a build that can take no effect any more are refused, and not sent', async () => {
  scene = await openScene(database.store, 'evm')
  const built = await scene.build()
  const used = { commitments: [], transfers: [], isPlain: false }
  await scene.mine('a', 101, 1, scene.paid(built, used))
  await scene.finalize(101)
  expect(await scene.record(built)).toMatchObject({ status: 'expired' })
  expect(await submit(signed(built))).toBe('TRANSACTION_FAILED')
  expect([await storedForms(), scene.sent]).toEqual([[], []])
})
