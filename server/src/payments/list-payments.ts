import type { NetworkId } from '@florin/wire/network.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { followedHeights } from '../sender/follower-store.ts'
import { attemptsOfPayments } from '../sender/transaction-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Payment } from './payment.ts'
import { listedFacts } from './view.ts'

/** Payments as a list shows them, in the order given. Two statements at most, whatever their number. */
export async function listPayments(
  tx: Tx,
  networks: ReadonlyMap<NetworkId, NetworkConfig>,
  payments: readonly Payment[],
): Promise<ReturnType<typeof listedFacts>[]> {
  if (payments.length === 0) return []
  // One that is not on chain shows the hash of its newest attempt.
  const offChain = payments.filter(({ transactionHash }) => transactionHash === null)
  const attempts =
    offChain.length === 0
      ? undefined
      : await attemptsOfPayments(
          tx,
          offChain.map(({ id }) => id),
        )
  const heights = await followedHeights(tx, [...new Set(payments.map(({ network }) => network))])
  return payments.map((payment) =>
    listedFacts(
      payment,
      attempts?.get(payment.id)?.at(-1)?.hash ?? null,
      networks.get(payment.network),
      heights.get(payment.network) ?? null,
    ),
  )
}
