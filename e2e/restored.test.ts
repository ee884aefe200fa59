import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { backUp } from './actors/backup.ts'
import { codeOf, detailsOf } from './actors/client.ts'
import { signInOperator } from './actors/operator.ts'
import type { Operator } from './actors/operator.ts'
import { aPurchase, offerOf, PRICE, settle } from './actors/seller.ts'
import type { Purchase, SettleBody } from './actors/seller.ts'
import { solanaBalance } from './actors/solana-client.ts'
import { aSolanaPurchase, SOLANA } from './actors/solana-purchase.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const LONG = { seconds: 60 }
const COIN = { evm: 10n ** 18n, solana: 10n ** 9n } as const

/** What docs/operating/production.md says of a database that is older than the chains. Its tests go on from each other. */
describe('back from a backup', () => {
  let world: World
  let operator: Operator
  /** Paid to before the backup, and after it. */
  const recipients = { evm: '', solana: '' }
  const proofs: { evm?: Purchase; solana?: SettleBody } = {}

  const pay = async (family: Family) =>
    await world.client().post('/payment/send', {
      walletAddress: walletOf(world, 0, family),
      recipientAddress: recipients[family],
      ...{ amount: '1', timeout: 20, waitFor: 'settled' },
    })
  const paid = async (family: Family): Promise<bigint> => {
    const recipient = recipients[family]
    const { solana } = world.sandbox
    return family === 'evm'
      ? await world.balanceOf(recipient)
      : await solanaBalance(solana, recipient, 'native')
  }
  const lane = (family: Family) => ({
    network: family === 'evm' ? world.sandbox.network : SOLANA,
    address: walletOf(world, 0, family),
  })

  beforeAll(async () => {
    // Whether it is sound the last test says.
    world = await openWorld({ solana: true, unsound: true })
    for (const family of ['evm', 'solana'] as const) recipients[family] = world.newAddress(family)
  }, 240_000)
  afterAll(() => world.stop(), 240_000)

  test('a service starts on a database that is older than the chains', async () => {
    for (const family of ['evm', 'solana'] as const) {
      expect((await pay(family)).body).toMatchObject({ status: 'settled' })
    }
    await world.service().stop()
    const backup = await backUp(world.database)
    await world.start()
    proofs.evm = await aPurchase(world)
    proofs.solana = await aSolanaPurchase(world)
    for (const proof of [proofs.evm, proofs.solana]) {
      expect((await settle(world, proof)).body).toMatchObject({ success: true })
    }
    for (const family of ['evm', 'solana'] as const) {
      expect((await pay(family)).body).toMatchObject({ status: 'settled' })
    }
    await world.service().stop()
    await backup.restore()
    await world.start()
    operator = await signInOperator(world)
  })

  test('a proof that was settled since is found on chain when its seller shows it again, and settled once (evm)', async () => {
    const { evm: proof } = proofs
    if (proof === undefined) throw new Error('no proof was made')
    expect((await settle(world, proof)).body).toMatchObject({ success: true })
    expect((await settle(world, proof)).body).toMatchObject({
      success: false,
      errorReason: 'duplicate_settlement',
    })
    expect(await world.balanceOf(proof.payTo, 'USDC')).toBe(PRICE)
  })

  test('a proof that was settled since is refused, and no fresh one is asked for when its time is over (solana)', async () => {
    const { solana: proof } = proofs
    if (proof === undefined) throw new Error('no proof was made')
    const { solana } = world.sandbox
    const before = await solanaBalance(solana, proof.payTo, 'USDC')
    expect((await settle(world, proof)).body).toMatchObject({
      ...{ success: false, errorReason: 'duplicate_settlement', transaction: '' },
    })
    await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
    const late = await world.client().post('/payment/receive', offerOf(proof))
    expect(codeOf(late)).toBe('DUPLICATE_SETTLEMENT')
    expect(detailsOf(late)).toEqual({ reason: 'duplicate_settlement' })
    expect((await settle(world, proof)).body).toMatchObject({
      ...{ success: false, errorReason: 'duplicate_settlement', transaction: '' },
    })
    expect(await solanaBalance(solana, proof.payTo, 'USDC')).toBe(before)
  })

  test('a wallet that paid since does not pay before an operator has looked at it (evm)', async () => {
    const refused = await until(
      'its lane is frozen',
      async () => {
        const reply = await pay('evm')
        return codeOf(reply) === 'NETWORK_ERROR' ? reply : undefined
      },
      LONG,
    )
    expect(refused.status).toBe(503)
    const { lanes } = await operator.ask('/operator/lanes')
    expect(lanes).toMatchObject([
      { ...lane('evm'), frozen: expect.stringContaining('has used more nonces of this wallet') },
    ])
    // One payment before the backup and one since.
    expect(await paid('evm')).toBe(2n * COIN.evm)
  })

  test('on Solana nothing stops, and each payment moves once', async () => {
    expect((await pay('solana')).body).toMatchObject({ status: 'settled' })
    expect(await paid('solana')).toBe(3n * COIN.solana)
  })

  test('a release sets the books to what is on chain, and all is sound', async () => {
    await expect(world.expectSound()).rejects.toThrow(
      'an idle wallet has on chain what the books say',
    )
    await operator.ask('/operator/lanes/freeze', { ...lane('solana'), reason: 'from a backup' })
    for (const family of ['evm', 'solana'] as const) {
      await operator.ask('/operator/lanes/release', lane(family))
    }
    expect((await pay('evm')).body).toMatchObject({ status: 'settled' })
    expect(await paid('evm')).toBe(3n * COIN.evm)
    await world.expectSound()
  })
})
