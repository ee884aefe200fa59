import { baseUnits } from '@florin/wire/amount.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import {
  createKeyPairFromPrivateKeyBytes,
  createKeyPairSignerFromPrivateKeyBytes,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  partiallySignTransaction,
} from '@solana/kit'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from '../../kernel/until.ts'
import { startTestChain } from './test-chain.ts'
import type { TestChain } from './test-chain.ts'
import { USDC } from './test-network.ts'
import { PRICE, newKey } from './test-payment.ts'

let world: TestChain
beforeAll(async () => {
  world = await startTestChain()
})
afterAll(async () => {
  await world.sandbox.stop()
})

test("a seller that pays the fee itself adds its signature to the buyer's own bytes", async () => {
  const { exact, selfCustody } = world.chain
  if (exact === undefined || selfCustody === undefined) throw new Error('Solana has both')
  const [payer, seller] = [newKey(), newKey()]
  await world.sandbox.fund(payer.address, 'USDC', '1')
  await world.sandbox.fund(seller.address, 'native', '1')
  await world.sandbox.fund(seller.address, 'USDC', '1')
  const signer = await createKeyPairSignerFromPrivateKeyBytes(payer.secret)
  const client = new ExactSvmScheme(signer, { rpcUrl: world.sandbox.solana.rpcUrl })
  const { payload } = await client.createPaymentPayload(2, {
    scheme: 'exact',
    network: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
    asset: USDC.asset,
    payTo: seller.address,
    amount: `${PRICE}`,
    maxTimeoutSeconds: 60,
    extra: { feePayer: seller.address },
  })
  const read = exact.read(fieldsOf(payload) ?? {}, {
    asset: USDC,
    payTo: seller.address,
    amount: baseUnits(PRICE),
    extra: { feePayer: seller.address },
    settlers: new Set([seller.address]),
  })
  if (!read.ok) throw new Error(read.reason)
  const outcome = await selfCustody.prepareSettlement(read.authorization, seller.address)
  if (!outcome.ok) throw new Error(outcome.reason)
  const built = outcome.preparation.build([])
  const transfers = [{ asset: USDC.asset, from: payer.address, to: seller.address, amount: PRICE }]
  expect(built).toMatchObject({
    expiryEnforcedByChain: true,
    summary: { feePayer: seller.address, transfers },
  })
  expect(selfCustody.inspect(built.transaction)).toMatchObject({ ok: true, isSigned: false })
  expect(await selfCustody.simulate(built.transaction, seller.address)).toMatchObject({
    succeeds: true,
    fee: built.fee.max,
  })
  const pair = await createKeyPairFromPrivateKeyBytes(seller.secret)
  const whole = await partiallySignTransaction(
    [pair],
    getTransactionDecoder().decode(built.transaction),
  )
  const raw = new Uint8Array(Buffer.from(getBase64EncodedWireTransaction(whole), 'base64'))
  expect(selfCustody.inspect(raw)).toMatchObject({ ok: true, isSigned: true })
  const { height } = await world.chain.head()
  expect(await world.chain.broadcast([raw])).toEqual([{ kind: 'accepted' }])
  const cosigners = new Set([payer.address])
  const watched = { senders: new Set<never>(), commitments: new Set<string>(), cosigners }
  const sighting = await until(
    'the settlement is on chain',
    async () => {
      const blocks = await world.chain.blocks(height, 20)
      return (await selfCustody.sightings(blocks, async () => watched))?.[0]
    },
    { seconds: 30 },
  )
  expect(sighting).toMatchObject({
    succeeded: true,
    sender: seller.address,
    transfers,
    feePaid: built.fee.max,
  })
})
