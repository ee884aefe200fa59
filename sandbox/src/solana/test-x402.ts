import { findAssociatedTokenPda, TOKEN_PROGRAM_ADDRESS } from '@solana-program/token'
import { address } from '@solana/kit'
import type { Address, KeyPairSigner } from '@solana/kit'
import { x402Client, x402HTTPClient } from '@x402/core/client'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme as ExactClient } from '@x402/svm/exact/client'
import { registerExactSvmScheme } from '@x402/svm/exact/facilitator'
import { ExactSvmSchemeV1 as ExactClientV1 } from '@x402/svm/v1'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { testClient } from './test-client.ts'

export const NETWORK = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
export const NETWORK_V1 = 'solana-devnet'
/** Base units of USDC. */
export const AMOUNT = 250_000n
const RESOURCE = { url: 'https://shop.example/report' }

/** A buyer, a seller and a facilitator's fee payer, with the x402 packages as they come. */
export async function openX402Shop(sandbox: SandboxHandle) {
  const client = testClient(sandbox)
  const { rpcUrl, usdc } = sandbox.solana
  const [buyer, feePayer, seller] = await Promise.all([
    client.newKey(),
    client.newKey(),
    client.newKey(),
  ])
  await Promise.all([
    // No SOL: the facilitator pays every fee.
    sandbox.fund(buyer.address, 'USDC', '10'),
    // The seller's token account has to be there: the scheme makes none.
    sandbox.fund(seller.address, 'USDC', '1'),
    sandbox.fund(feePayer.address),
  ])

  const facilitatorSigner = () => toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: rpcUrl })
  /** Each has its own memory of what is under way. */
  const openFacilitator = (): x402Facilitator =>
    registerExactSvmScheme(new x402Facilitator(), {
      signer: facilitatorSigner(),
      networks: NETWORK,
    })
  const requirements = (part: Partial<PaymentRequirements> = {}): PaymentRequirements => ({
    scheme: 'exact',
    network: NETWORK,
    asset: usdc,
    amount: String(AMOUNT),
    payTo: seller.address,
    maxTimeoutSeconds: 60,
    extra: { feePayer: feePayer.address },
    ...part,
  })
  const pay = async (accepted: PaymentRequirements, payer = buyer): Promise<PaymentPayload> =>
    await new x402Client()
      .register('solana:*', new ExactClient(payer, { rpcUrl }))
      .createPaymentPayload({ x402Version: 2, resource: RESOURCE, accepts: [accepted] })
  /** What a version 1 client makes of a 402 answer, and the requirements that it met. */
  const payV1 = async (): Promise<{
    readonly payment: PaymentPayload
    readonly accepted: PaymentRequirements
  }> => {
    const { amount, ...rest } = requirements()
    const texts = { resource: RESOURCE.url, description: 'a report', mimeType: 'application/json' }
    const required = { ...rest, ...texts, network: NETWORK_V1, maxAmountRequired: amount }
    const buying = new x402Client().registerV1(NETWORK_V1, new ExactClientV1(buyer, { rpcUrl }))
    const http = new x402HTTPClient(buying)
    const body = { x402Version: 1, accepts: [required] }
    const asked = http.getPaymentRequiredResponse(() => null, body)
    const [accepted] = asked.accepts
    if (accepted === undefined) throw new Error('nothing is asked for')
    return { payment: await http.createPaymentPayload(asked), accepted }
  }

  const tokenAccountOf = async (owner: Address): Promise<Address> => {
    const mint = address(usdc)
    const tokenProgram = TOKEN_PROGRAM_ADDRESS
    return (await findAssociatedTokenPda({ owner, mint, tokenProgram }))[0]
  }
  const usdcOf = async (owner: Address): Promise<bigint> => {
    const account = await tokenAccountOf(owner)
    return BigInt((await client.rpc.getTokenAccountBalance(account).send()).value.amount)
  }
  const lamportsOf = async (owner: KeyPairSigner): Promise<bigint> =>
    (await client.rpc.getBalance(owner.address).send()).value
  /** What the seller got and the buyer gave while something was done. */
  const moved = async (work: () => Promise<void>): Promise<readonly [bigint, bigint]> => {
    const before = [await usdcOf(seller.address), await usdcOf(buyer.address)] as const
    await work()
    return [(await usdcOf(seller.address)) - before[0], before[1] - (await usdcOf(buyer.address))]
  }
  return {
    client,
    rpcUrl,
    buyer,
    feePayer,
    seller,
    facilitatorSigner,
    openFacilitator,
    requirements,
    pay,
    payV1,
    tokenAccountOf,
    usdcOf,
    lamportsOf,
    moved,
  }
}
