import { Refusal } from '@florin/wire/errors.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Caller } from '../kernel/caller.ts'
import { parseId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { followedHeight } from '../sender/follower-store.ts'
import { attemptsOfPayments } from '../sender/transaction-store.ts'
import type { Store } from '../store/postgres.ts'
import type { ProofKeys } from './proof.ts'
import { findPayment } from './store.ts'
import { paymentFacts, recordFacts } from './view.ts'

/** The record of one payment of the caller's account. Somebody else's, a malformed and an absent id look the same: 404. */
export async function readStatus(
  {
    store,
    networks,
    proofs,
  }: { store: Store; networks: ReadonlyMap<NetworkId, NetworkConfig>; proofs: ProofKeys },
  caller: Caller,
  paymentIdText: string,
) {
  const paymentId = parseId('pay', paymentIdText)
  if (paymentId === undefined) throw new Refusal('NOT_FOUND')
  const found = await store.inTransaction(caller.accountId, async (tx) => {
    const payment = await findPayment(tx, caller.accountId, paymentId)
    if (payment === undefined) return undefined
    const attempts = (await attemptsOfPayments(tx, [paymentId])).get(paymentId) ?? []
    return { payment, attempts, height: await followedHeight(tx, payment.network) }
  })
  if (found === undefined) throw new Refusal('NOT_FOUND')
  const { payment, attempts, height } = found
  const config = networks.get(payment.network)
  return {
    ...paymentFacts(payment, attempts.at(-1)?.hash ?? null, config),
    ...recordFacts(payment, attempts, config, height),
    ...(caller.scopes.has('write') ? { paymentProof: proofs.proofOf(payment) } : {}),
  }
}
