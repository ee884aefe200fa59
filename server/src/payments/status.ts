import { Refusal } from '@florin/wire/errors.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Caller } from '../kernel/caller.ts'
import { parseId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { ProofKeys } from './proof.ts'
import type { AskedPayment, StandingPayment } from './status-store.ts'
import { paymentFacts, recordFacts } from './view.ts'

/** The record of one payment of the caller's account. Somebody else's, a malformed and an absent id look the same: 404. */
export async function readStatus(
  {
    standingOf,
    networks,
    proofs,
  }: {
    standingOf: (asked: AskedPayment) => Promise<StandingPayment | undefined>
    networks: ReadonlyMap<NetworkId, NetworkConfig>
    proofs: ProofKeys
  },
  caller: Caller,
  paymentIdText: string,
) {
  const paymentId = parseId('pay', paymentIdText)
  if (paymentId === undefined) throw new Refusal('NOT_FOUND')
  const found = await standingOf({ accountId: caller.accountId, paymentId })
  if (found === undefined) throw new Refusal('NOT_FOUND')
  const { payment, attempts, followedHeight } = found
  const config = networks.get(payment.network)
  return {
    ...paymentFacts(payment, attempts.at(-1)?.hash ?? null, config),
    ...recordFacts(payment, attempts, config, followedHeight),
    ...(caller.scopes.has('write') ? { paymentProof: proofs.proofOf(payment) } : {}),
  }
}
