import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import type { PaymentRequirements } from '@x402/core/types'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newKey } from '@florin/server/chains/solana/test-payment.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { World } from './actors/world.ts'
import { openWorld } from './actors/world.ts'

const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const SEND = ['sendTransaction']

describe('a payer’s transaction that never reaches the chain', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  test('ends as expired, on the looks that prove it, and nothing moves', async () => {
    const payer = newKey()
    const payTo = world.newAddress('solana')
    await world.sandbox.fund(payer.address, 'USDC', '1')
    await world.sandbox.fund(payTo, 'USDC', '0.5')
    const feePayer = world.service().settlers.find(({ family }) => family === 'solana')?.address
    const { rpcUrl, usdc } = world.sandbox.solana
    const requirements: PaymentRequirements = {
      scheme: 'exact',
      network: NETWORK,
      asset: usdc,
      amount: '10000',
      payTo,
      maxTimeoutSeconds: 60,
      extra: { feePayer },
    }
    const signer = await createKeyPairSignerFromPrivateKeyBytes(payer.secret)
    const scheme = new ExactSvmScheme(signer, { rpcUrl })
    const { payload } = await scheme.createPaymentPayload(2, requirements)
    const body = {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: requirements, payload },
      paymentRequirements: requirements,
    }
    const ask = (signal?: AbortSignal) => world.client().post('/x402/settle', body, {}, signal)
    const record = async () => {
      const rows = await world.database.store.query<{ status: string; looks: string }>(
        'test_expired',
        `select p.status, count(l.*) as looks from payments p
         join payment_transactions pt on pt.payment_id = p.id
         join attempts a on a.chain_transaction_id = pt.chain_transaction_id
         left join expiry_looks l on l.attempt_id = a.id
         where p.recipient = $1 group by p.status`,
        [payTo],
      )
      return rows[0]
    }

    await world.sandbox.fault({
      chain: 'solana',
      kind: 'fail',
      answer: 'http-500',
      methods: SEND,
      forward: false,
    })
    const gone = new AbortController()
    const asking = ask(gone.signal).catch(() => null)
    await until('it is signed', async () => (await record())?.status === 'pending', { seconds: 30 })
    gone.abort()
    await asking
    await world.sandbox.fault({ chain: 'solana', kind: 'expire' })
    await world.sandbox.clearFaults()
    await until('it is expired', async () => (await record())?.status === 'expired', {
      seconds: 40,
    })

    expect(Number((await record())?.looks)).toBeGreaterThanOrEqual(2)
    expect((await ask()).body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_svm_transaction_failed',
      extra: { status: 'expired' },
    })
    expect(await world.balanceOf(payTo, 'USDC')).toBe(500_000n)
    expect(await world.balanceOf(payer.address, 'USDC')).toBe(1_000_000n)
  })
})
