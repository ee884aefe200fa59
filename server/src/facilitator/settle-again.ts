import type { Chain } from '../chains/chain.ts'
import type { ExactAuthorization } from '../chains/exact.ts'
import { beginSettlement } from './begin.ts'
import type { BeginDeps } from './beginning.ts'
import type { Claim } from './claim.ts'

/**
 * Settles a payment that its seller was told was paid, and that a reorganisation took off the chain with the transaction of somebody else
 * who had settled it: nobody else may bring it back. True when a transaction of ours is stored for it.
 */
export async function settleAgain(
  deps: BeginDeps,
  chain: Chain,
  { accountId, paymentId, termsDigest: digest, x402Version }: Claim,
  authorization: ExactAuthorization,
): Promise<boolean> {
  const { exact } = chain
  // Where only the payer's own bytes can pay, the sender has them already.
  if (exact === undefined || authorization.feePayer !== null) return false
  const payment = { x402Version: x402Version ?? 2 } as const
  const intake = { chain, exact, authorization, resource: null, payment }
  const begun = await beginSettlement(deps, {
    accountId,
    paymentId,
    digest,
    intake,
    isNew: false,
  })
  // The same reorganisation may have taken the payer's approval along, and nobody asks for what was told as paid.
  if (begun.kind === 'refused' && begun.approval !== undefined) {
    await chain.broadcast([begun.approval.raw])
  }
  await begun.sent
  return begun.kind === 'signed'
}
