import {
  createSolanaRpc,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import { until } from '@florin/server/kernel/until.ts'
import type { Family } from '@florin/wire/network.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { giveAccountAway, untilIncluded } from './actors/change-hands.ts'
import { codeOf } from './actors/client.ts'
import { demandV2, hand, openOddSeller, takeMoney } from './actors/odd-seller.ts'
import { termsOf } from './actors/terms.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

const NESTED = 5_000

describe('sellers that take the money and cheat', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ solana: true })
  })
  afterAll(() => world.stop())

  const buy = (url: string, more: object = {}, family: Family = 'evm') =>
    world.client().post('/payment/fetch', {
      ...{ walletAddress: walletOf(world, 1, family), url, maxAmount: '0.01' },
      ...more,
    })

  test('whoever is willing to pay less joins no purchase, and nothing is shown or signed for it', async () => {
    const { terms } = await termsOf(world, 'evm')
    const seller = await openOddSeller((_, answer) => demandV2(answer, [terms]))
    try {
      const first = await buy(seller.url)
      expect(first.body).toMatchObject({ amount: 0.01 })
      const shown = seller.paid().length
      const second = await buy(seller.url, { maxAmount: '0.000001' })
      expect([second.status, codeOf(second)]).toEqual([400, 'POLICY_REFUSED'])
      expect(second.body).toMatchObject({
        error: { details: { rule: 'maxAmount', paymentId: first.body['paymentId'] } },
      })
      expect(seller.paid()).toHaveLength(shown)
      seller.says(async (asked, answer) => {
        await takeMoney(world, asked, terms)
        hand(answer, 200)
      })
      const third = await buy(seller.url)
      expect(third.body['paymentId']).toBe(first.body['paymentId'])
    } finally {
      await seller.stop()
    }
  })

  test('a receipt that cannot be written down hides neither the payment nor the goods', async () => {
    const { terms } = await termsOf(world, 'evm')
    const deep = `{"x":${'['.repeat(NESTED)}${']'.repeat(NESTED)}}`
    const seller = await openOddSeller(async (asked, answer) => {
      if (asked.payment === null) return demandV2(answer, [terms])
      await takeMoney(world, asked, terms)
      const receipt = Buffer.from(deep).toString('base64')
      answer.writeHead(200, { 'payment-response': receipt }).end('{"goods":true}')
    })
    try {
      const { status, body } = await buy(seller.url)
      expect(status).toBe(200)
      expect(body).toMatchObject({ response: { status: 200, body: '{"goods":true}' } })
      expect(body['paymentId']).toMatch(/^pay_/)
      expect(body).not.toHaveProperty('receipt')
    } finally {
      await seller.stop()
    }
  })

  test('an account that changes hands before it is paid is paid all the same, and the record says so', async () => {
    const rpc = createSolanaRpc(world.sandbox.solana.rpcUrl)
    const [owner, feePayer] = [await generateKeyPairSigner(), await generateKeyPairSigner()]
    await world.sandbox.fund(owner.address, 'USDC', '0.5')
    await world.sandbox.fund(feePayer.address, 'native', '5')
    const { terms } = await termsOf(world, 'solana')
    const own = { ...terms, payTo: owner.address, extra: { feePayer: feePayer.address } }
    let taken = ''
    const seller = await openOddSeller(async (asked, answer) => {
      if (asked.payment === null) return demandV2(answer, [own])
      const { transaction } = fieldsOf(asked.payment['payload']) ?? {}
      const bytes = Buffer.from(String(transaction), 'base64')
      await untilIncluded(world, await giveAccountAway(world, owner, feePayer))
      const signed = await partiallySignTransaction(
        [feePayer.keyPair],
        getTransactionDecoder().decode(bytes),
      )
      const wire = getBase64EncodedWireTransaction(signed)
      taken = await rpc.sendTransaction(wire, { encoding: 'base64' }).send()
      hand(answer, 200)
    })
    try {
      const { body } = await buy(seller.url, { network: terms.network }, 'solana')
      const paymentId = String(body['paymentId'])
      await until(
        'the payment is settled',
        async () => {
          const record = await world.client().get(`/payment/status/${paymentId}`)
          expect(record.body['status']).not.toBe('expired')
          return record.body['status'] === 'settled' && record.body['signature'] === taken
        },
        { seconds: 100 },
      )
    } finally {
      await seller.stop()
    }
  })
})
