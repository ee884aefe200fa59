import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { NodeFailure } from '../../chains/chain.ts'
import type { TransactionHash } from '../../chains/chain.ts'
import { openTestDatabase } from '../../store/test-database.ts'
import type { TestDatabase } from '../../store/test-database.ts'
import { storeTestWallet } from '../../store/test-wallet.ts'
import { countDepositInCatalogue } from '../counted-deposit-store.ts'
import { isIdentifierTaken } from '../identifier-store.ts'
import { callScene, depositedScene, giveBack, PAYER } from './test-call-scene.ts'
import type { Script } from './test-call-scene.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await openTestDatabase()
})
afterAll(() => database.close())

let chains = 600_000
const aScene = (script: Partial<Script> = {}) => callScene(database.store, (chains += 1), script)

const deposited = () => depositedScene(database.store, (chains += 1))

describe('the success of a deposit', () => {
  test('is given once, and again under its key', async () => {
    const { ask, accountId } = await deposited()
    expect(await ask(accountId, 'K')).toMatchObject({ kind: 'settled' })
    expect(await ask(accountId, 'K')).toMatchObject({ kind: 'settled' })
    expect(await ask(accountId, 'L')).toMatchObject({ kind: 'duplicate' })
    expect(await ask()).toMatchObject({ kind: 'duplicate' })
  })

  test('under a key is refused to another body, whatever that is for', async () => {
    const { ask, accountId, script } = await deposited()
    expect(await ask(accountId, 'M', 1)).toMatchObject({ kind: 'settled' })
    script.key = 'deposit:two'
    await expect(ask(accountId, 'M', 2)).rejects.toThrow(
      expect.objectContaining({ code: 'IDEMPOTENCY_MISMATCH' }),
    )
    expect(await ask(accountId, 'N', 2)).toMatchObject({ kind: 'pending' })
  })

  test('without a key is nobody’s who has none either', async () => {
    const { ask } = await deposited()
    expect(await ask()).toMatchObject({ kind: 'settled' })
    expect(await ask()).toMatchObject({ kind: 'duplicate' })
  })

  test('that reached nobody is to be had by whoever asks', async () => {
    const { ask, accountId } = await deposited()
    await giveBack(await ask(accountId, 'K'))
    expect(await ask()).toMatchObject({ kind: 'settled' })
  })

  test('stays given where it is said again and that reaches nobody', async () => {
    const { ask, accountId } = await deposited()
    expect(await ask(accountId, 'K')).toMatchObject({ kind: 'settled' })
    await giveBack(await ask(accountId, 'K'))
    expect(await ask()).toMatchObject({ kind: 'duplicate' })
    expect(await ask(accountId, 'K')).toMatchObject({ kind: 'settled' })
  })

  test('stays given where it was said again before the first turns out to have reached nobody', async () => {
    const { ask, accountId } = await deposited()
    const first = await ask(accountId, 'K')
    expect(await ask(accountId, 'K')).toMatchObject({ kind: 'settled' })
    await giveBack(first)
    expect(await ask()).toMatchObject({ kind: 'duplicate' })
  })
})

describe('the success of a deposit whose block left the chain', () => {
  test('stays given where the deposit is made once more, and has counted in the catalogue', async () => {
    const { ask, ends, sent, accountId, config } = await deposited()
    const name = { network: config.network, key: 'deposit:one' }
    const count = () =>
      database.store.inTransaction(accountId, (tx) => countDepositInCatalogue(tx, accountId, name))
    expect(await ask(accountId, 'K')).toMatchObject({ kind: 'settled', hash: sent[0] })
    expect(await count()).toBe(true)
    await ends(sent[0], 'final', false)
    expect(await ask()).toMatchObject({ kind: 'pending', hash: sent[1] })
    await ends(sent[1], 'final', true)
    expect(await ask()).toMatchObject({ kind: 'duplicate', hash: sent[1] })
    expect(await ask(accountId, 'K')).toMatchObject({ kind: 'settled', hash: sent[1] })
    expect(await count()).toBe(false)
  })
})

describe('a deposit that somebody else was faster to make', () => {
  const OTHERS = `0x${'0e'.repeat(32)}` as TransactionHash
  const NAME = 'a-name-0123456789'
  const overtaken = async (elsewhere: Script['elsewhere']) => {
    const scene = await aScene({ payer: PAYER, identifier: NAME })
    await scene.ask()
    await scene.ends(scene.sent[0], 'final', false)
    if (elsewhere !== undefined) scene.script.elsewhere = elsewhere
    return scene
  }

  test('is a success by that transaction, given once, and has its name', async () => {
    const { ask, sent, script } = await overtaken(() => ({
      ...{ kind: 'made', hash: OTHERS, height: 1n },
    }))
    expect(await ask()).toMatchObject({ kind: 'settled', hash: OTHERS })
    expect(await ask()).toMatchObject({ kind: 'duplicate', hash: OTHERS })
    script.key = 'deposit:two'
    expect(await ask()).toMatchObject({ reason: 'payment_identifier_conflict' })
    expect(sent).toHaveLength(1)
  })

  test('is no success where another deposit has its name by now', async () => {
    const { ask, ends, sent, script } = await overtaken(() => ({ kind: 'unknown' }))
    expect(await ask()).toMatchObject({ kind: 'pending' })
    script.key = 'deposit:two'
    await ask()
    await ends(sent[1], 'final', true)
    expect(await ask()).toMatchObject({ kind: 'settled', hash: sent[1] })
    script.key = 'deposit:one'
    script.elsewhere = () => ({ kind: 'made', hash: OTHERS, height: 1n })
    expect(await ask()).toMatchObject({ reason: 'payment_identifier_conflict' })
  })

  test('is told to nobody else', async () => {
    const { ask } = await overtaken(() => ({ kind: 'made', hash: OTHERS, height: 1n }))
    const { accountId: stranger } = await storeTestWallet(database.store)
    expect(await ask(stranger)).toMatchObject({ kind: 'refused', reason: 'duplicate_settlement' })
  })

  test.each<readonly [string, Exclude<Script['elsewhere'], undefined>]>([
    ['that is not deep enough', () => ({ kind: 'made', hash: OTHERS, height: 101n })],
    ['that nothing shows', () => ({ kind: 'unknown' })],
    [
      'of which no node tells',
      () => {
        throw new NodeFailure('away')
      },
    ],
  ])('by a transaction %s is pending, and not made again', async (_, elsewhere) => {
    const { ask, sent } = await overtaken(elsewhere)
    expect(await ask()).toMatchObject({ kind: 'pending', hash: sent[0] })
    expect(sent).toHaveLength(1)
  })
})

describe('a name that its payer gave a deposit', () => {
  const NAME = 'a-name-0123456789'
  const CONFLICT = { reason: 'payment_identifier_conflict' }

  test('is of one deposit, and the same one joins under it', async () => {
    const { ask, ends, sent, script, verify, accountId } = await aScene({
      ...{ payer: PAYER, identifier: NAME },
    })
    expect(await ask()).toMatchObject({ kind: 'pending', hash: sent[0] })
    expect(await ask()).toMatchObject({ kind: 'pending', hash: sent[0] })
    expect(await verify(accountId)).toMatchObject({ ok: true })
    script.key = 'deposit:two'
    expect(await ask()).toMatchObject({ kind: 'refused', ...CONFLICT })
    expect(await verify(accountId)).toMatchObject(CONFLICT)
    await ends(sent[0], 'final', true)
    expect(await ask()).toMatchObject({ kind: 'refused', ...CONFLICT })
    script.key = 'deposit:one'
    expect(await ask()).toMatchObject({ kind: 'settled', hash: sent[0] })
    script.key = 'deposit:two'
    script.identifier = `${NAME}-else`
    expect(await ask()).toMatchObject({ kind: 'pending', hash: sent[1] })
    expect(sent).toHaveLength(2)
  })

  test('is of one of several that come at the same time', async () => {
    const scenes = await aScene({ payer: PAYER, identifier: NAME })
    const { ask, script, sent } = scenes
    const answers = await Promise.all(
      ['one', 'two', 'three'].map((each) => {
        script.key = `deposit:${each}`
        return ask()
      }),
    )
    expect(answers.filter(({ kind }) => kind === 'pending')).toHaveLength(1)
    expect(answers.filter(({ kind }) => kind === 'refused')).toMatchObject([CONFLICT, CONFLICT])
    expect(sent).toHaveLength(1)
  })

  test('is free again once the first came to nothing, and of no other payment before', async () => {
    const { ask, ends, sent, script, accountId, config } = await aScene({
      ...{ payer: PAYER, identifier: NAME },
    })
    const isTaken = () =>
      database.store.inTransaction('service', (tx) =>
        isIdentifierTaken(
          tx,
          { state: async () => undefined },
          {
            ...{ accountId, payer: PAYER, identifier: NAME },
            ...{ network: config.network, proofKey: 'of exact' },
          },
        ),
      )
    await ask()
    expect(await isTaken()).toBe(true)
    await ends(sent[0], 'dead', false)
    expect(await isTaken()).toBe(false)
    script.key = 'deposit:two'
    expect(await ask()).toMatchObject({ kind: 'pending', hash: sent[1] })
    // The first may not come after it.
    script.key = 'deposit:one'
    expect(await ask()).toMatchObject(CONFLICT)
  })

  test('that is none is no payload, and refunds have none', async () => {
    const { ask, sent } = await aScene({ payer: PAYER, identifier: 'short' })
    expect(await ask()).toMatchObject({ kind: 'refused', reason: 'invalid_payload' })
    expect(sent).toHaveLength(0)
    const names = { payer: PAYER, identifier: NAME }
    const refunds = await aScene({ operation: 'refund', key: 'refund:1', ...names })
    await refunds.ask()
    refunds.script.key = 'refund:2'
    await refunds.ask()
    expect(refunds.sent).toHaveLength(2)
  })
})
