import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { address, createSolanaRpc, devnet } from '@solana/kit'
import type { KeyPairSigner } from '@solana/kit'
import { x402Client } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme as ExactClient } from '@x402/svm/exact/client'
import { registerExactSvmScheme } from '@x402/svm/exact/facilitator'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { testClient } from './test-client.ts'

const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const RESOURCE = { url: 'https://shop.example/report' }
const AMOUNT = '250000'

let sandbox: SandboxHandle
let client: ReturnType<typeof testClient>
let buyer: KeyPairSigner
let payTo: string
let feePayer: KeyPairSigner

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  client = testClient(sandbox)
  buyer = await client.newKey()
  feePayer = await client.newKey()
  payTo = (await client.newKey()).address
  await Promise.all([
    sandbox.fund(buyer.address, 'USDC', '10'),
    // The seller's token account has to exist: the scheme makes none.
    sandbox.fund(payTo, 'USDC', '1'),
    sandbox.fund(feePayer.address),
  ])
})
afterAll(async () => {
  await sandbox.stop()
})

/** A facilitator with no memory of another: each has its own cache of what is under way. */
function openFacilitator(): x402Facilitator {
  const rpc = createSolanaRpc(devnet(sandbox.solana.rpcUrl))
  const signer = toFacilitatorSvmSigner(feePayer, { [NETWORK]: rpc })
  return registerExactSvmScheme(new x402Facilitator(), { signer, networks: NETWORK })
}
const requirements = (part: Partial<PaymentRequirements> = {}): PaymentRequirements => ({
  scheme: 'exact',
  network: NETWORK,
  asset: sandbox.solana.usdc,
  amount: AMOUNT,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { feePayer: feePayer.address },
  ...part,
})
async function pay(accepted: PaymentRequirements): Promise<PaymentPayload> {
  const scheme = new ExactClient(buyer, { rpcUrl: sandbox.solana.rpcUrl })
  return await new x402Client()
    .register('solana:*', scheme)
    .createPaymentPayload({ x402Version: 2, resource: RESOURCE, accepts: [accepted] })
}
async function usdcOf(owner: string): Promise<bigint> {
  const [account] = await findAssociatedTokenPda({
    owner: address(owner),
    mint: address(sandbox.solana.usdc),
    tokenProgram: TOKEN_PROGRAM_ADDRESS,
  })
  const { value } = await client.rpc
    .getTokenAccountBalance(account, { commitment: 'confirmed' })
    .send()
  return BigInt(value.amount)
}

describe('@x402/svm', () => {
  test('pays, verifies and settles, and the money moves once', async () => {
    const before = [await usdcOf(buyer.address), await usdcOf(payTo)]
    const accepted = requirements()
    const payment = await pay(accepted)
    const facilitator = openFacilitator()
    expect(await facilitator.verify(payment, accepted)).toEqual({
      isValid: true,
      payer: buyer.address,
    })
    const settled = await facilitator.settle(payment, accepted)
    expect(settled).toMatchObject({ success: true, network: NETWORK, payer: buyer.address })
    expect([await usdcOf(buyer.address), await usdcOf(payTo)]).toEqual([
      (before[0] ?? 0n) - BigInt(AMOUNT),
      (before[1] ?? 0n) + BigInt(AMOUNT),
    ])
  })
})
