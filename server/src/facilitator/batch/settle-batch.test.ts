import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { BATCH_OPERATIONS } from '../../chains/batch.ts'
import { NodeFailure } from '../../chains/chain.ts'
import type { Address } from '../../chains/chain.ts'
import { findInBooks } from '../../doctor/books-store.ts'
import { openTestDatabase } from '../../store/test-database.ts'
import type { TestDatabase } from '../../store/test-database.ts'
import { storeTestWallet } from '../../store/test-wallet.ts'
import { callScene, depositedScene, FEE, giveBack, PAYER, RECEIVER } from './test-call-scene.ts'
import type { Script } from './test-call-scene.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

let chains = 500_000
const aScene = (script: Partial<Script> = {}) => callScene(database.store, (chains += 1), script)

const deposited = () => depositedScene(database.store, (chains += 1))

describe('a call', () => {
  test('is another account’s, or of other content: nothing is told of it', async () => {
    const { ask, script } = await deposited()
    const { accountId: stranger } = await storeTestWallet(database.store)
    expect(await ask(stranger)).toMatchObject({ kind: 'refused', reason: 'duplicate_settlement' })
    script.content = 'other'
    expect(await ask()).toMatchObject({ kind: 'refused', reason: 'duplicate_settlement' })
  })

  test.each(['claim.before-commit', 'claim.after-commit'] as const)(
    'that was killed at %s is sent once',
    async (killAt) => {
      const { ask, script, sent } = await aScene({ killAt })
      await expect(ask()).rejects.toThrow('killed')
      script.killAt = undefined
      await ask()
      await ask()
      const rows = await database.store.query<{ hash: string }>(
        'test_calls',
        'select hash from attempts a join escrow_calls c using (chain_transaction_id)',
      )
      expect(rows.length).toBeGreaterThan(0)
      expect(sent).toHaveLength(killAt === 'claim.before-commit' ? 1 : 0)
    },
  )

  test('of which no node tells now is pending, whatever became of it', async () => {
    const { ask, script } = await deposited()
    script.resultOf = () => {
      throw new NodeFailure('away')
    }
    expect(await ask()).toMatchObject({ kind: 'pending' })
  })

  test('is made again once the first can take no effect any more, and not before', async () => {
    const { ask, ends, sent } = await aScene()
    await ask()
    await ends(sent[0], 'mined', false, 99n)
    expect(await ask()).toMatchObject({ kind: expect.stringMatching(/pending|failed/) })
    expect(sent).toHaveLength(1)
    await ends(sent[0], 'dead', false)
    await ask()
    expect(sent).toHaveLength(2)
    await ends(sent[1], 'final', false)
    await Promise.all([ask(), ask(), ask()])
    expect(sent).toHaveLength(3)
    await ends(sent[2], 'final', true)
    expect(await ask()).toMatchObject({ kind: 'settled', hash: sent[2] })
    expect(sent).toHaveLength(3)
    const findings = await database.store.inTransaction('service', findInBooks)
    expect(findings.filter(({ invariant }) => invariant.startsWith('every'))).toEqual([])
  })

  test('that is not deep enough is pending', async () => {
    const { ask, ends, sent, config } = await aScene()
    await ask()
    await ends(sent[0], 'mined', true, 100n - BigInt(config.releaseDepth) + 1n)
    expect(await ask()).toMatchObject({ kind: 'pending' })
    await ends(sent[0], 'mined', true, 100n - BigInt(config.releaseDepth))
    expect(await ask()).toMatchObject({ kind: 'settled' })
  })
})

test.each(BATCH_OPERATIONS)(
  'a %s for another account’s receiver is refused, and nothing of it is stored or told',
  async (operation) => {
    const hosted = `0x${(chains += 1).toString(16).padStart(40, 'e')}` as Address
    const { accountId: owner } = await storeTestWallet(database.store, hosted)
    const receivers = [RECEIVER, hosted]
    const { ask, accountId, verify, sent } = await aScene({ operation, receivers })
    const no = { reason: 'receiver_of_another_account' }
    expect(await ask()).toMatchObject(no)
    expect(await verify(accountId)).toMatchObject(no)
    expect(sent).toHaveLength(0)
    expect(await verify(owner)).toMatchObject({ ok: true })
    expect(await ask(owner)).toMatchObject({ kind: 'pending' })
    expect(sent).toHaveLength(1)
  },
)

describe('a sweep', () => {
  test('that moved nothing, because its claim was put behind it, is made once more', async () => {
    const nothing = () => ({ amount: 0n, channel: null })
    const { ask, ends, sent, script } = await aScene({
      ...{ operation: 'settle', key: 'settle:7', resultOf: nothing },
    })
    await ask()
    await ends(sent[0], 'final', true)
    // The chain still shows what the first was to move.
    await Promise.all([ask(), ask()])
    expect(sent).toHaveLength(2)
    await ends(sent[1], 'final', true)
    script.resultOf = (hash) => ({ amount: hash === sent[1] ? 9n : 0n, channel: null })
    expect(await ask()).toMatchObject({ kind: 'settled', hash: sent[1], result: { amount: 9n } })
    expect(sent).toHaveLength(2)
  })

  test('that moved nothing, because another has moved it, is not', async () => {
    const { ask, ends, sent, script } = await aScene({
      ...{ operation: 'settle', key: 'settle:7' },
    })
    await ask()
    await ends(sent[0], 'final', true)
    script.resultOf = () => {
      script.key = undefined
      return { amount: 0n, channel: null }
    }
    expect(await ask()).toMatchObject({ kind: 'settled', hash: sent[0], result: { amount: 0n } })
    expect(sent).toHaveLength(1)
  })
})

describe('a sweep whose answer was lost', () => {
  const NOTHING = { reason: 'invalid_batch_settlement_evm_nothing_to_settle' }
  const aLostOne = async () => {
    const subject = `token ${RECEIVER}`
    const scene = await aScene({ operation: 'settle', key: 'settle:7', subject })
    await scene.ask()
    scene.script.key = undefined
    return scene
  }

  test('is told once to its account when there is nothing more to settle', async () => {
    const { ask, ends, sent } = await aLostOne()
    await ends(sent[0], 'final', true)
    const { accountId: stranger } = await storeTestWallet(database.store)
    expect(await ask(stranger)).toMatchObject(NOTHING)
    const told = await ask()
    expect(told).toMatchObject({ kind: 'settled', hash: sent[0], replayed: true })
    expect(await ask()).toMatchObject(NOTHING)
    await giveBack(told)
    expect(await ask()).toMatchObject({ kind: 'settled', hash: sent[0] })
    expect(sent).toHaveLength(1)
  })

  test('is pending as long as it is not deep enough', async () => {
    const { ask, ends, sent, config } = await aLostOne()
    await ends(sent[0], 'mined', true, 100n - BigInt(config.releaseDepth) + 1n)
    expect(await ask()).toMatchObject({ kind: 'pending', hash: sent[0] })
  })

  test('is not told where it came to nothing, or a later one was told', async () => {
    const dead = await aLostOne()
    await dead.ends(dead.sent[0], 'dead', false)
    expect(await dead.ask()).toMatchObject(NOTHING)
    const { ask, ends, sent, script } = await aLostOne()
    await ends(sent[0], 'final', true)
    script.key = 'settle:9'
    await ask()
    await ends(sent[1], 'final', true)
    expect(await ask()).toMatchObject({ kind: 'settled', hash: sent[1] })
    script.key = undefined
    expect(await ask()).toMatchObject(NOTHING)
  })
})

describe('the gas', () => {
  const reservedOf = async (network: string) =>
    (
      await database.store.query<{ subject: string; reserved: string }>(
        'test_budgets',
        'select subject, reserved from gas_budgets where network = $1 order by subject',
        [network],
      )
    ).map(({ subject, reserved }) => [subject, BigInt(reserved)])

  test('of a claim is its account’s: whom it names may be anybody, whose budget nobody else spends', async () => {
    const { ask, accountId, config } = await aScene({ operation: 'claim', key: 'claim:1' })
    await ask()
    expect(await reservedOf(config.network)).toEqual([[`account:${accountId}`, FEE]])
    expect(RECEIVER).not.toBe(PAYER)
  })

  test('of a refund is its account’s: its payer may be anybody, who has signed nothing that was looked at', async () => {
    const { ask, accountId, config } = await aScene({
      ...{ operation: 'refund', key: 'refund:1', payer: PAYER },
    })
    await ask()
    expect(await reservedOf(config.network)).toEqual([[`account:${accountId}`, FEE]])
  })

  test('of a deposit is its account’s and its payer’s', async () => {
    const { ask, accountId, config } = await aScene({ payer: PAYER })
    await ask()
    expect(await reservedOf(config.network)).toEqual([
      [`account:${accountId}`, FEE],
      [`payer:${PAYER}`, FEE],
    ])
  })
})
