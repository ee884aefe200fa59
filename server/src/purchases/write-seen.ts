import type { NetworkId } from '@florin/wire/network.ts'
import type { AuthorizationUse } from '../chains/exact.ts'
import type { PaymentId } from '../kernel/id.ts'
import { standsOnFollowed } from '../sender/follower-store.ts'
import type { Store } from '../store/postgres.ts'
import type { PurchaseBook } from './book.ts'
import type { Place } from './live-store.ts'
import type { Seen } from './seen.ts'

/**
 * Writes down what the chain shows of purchases. Gives those of which a use was shown in a block that is none of the followed chain, as far
 * as that was read: in a moment it will say which is.
 */
export async function writeSeen(
  { store, book }: { readonly store: Store; readonly book: Pick<PurchaseBook, 'used' | 'over'> },
  network: NetworkId,
  seen: readonly Seen[],
  finalizedHeight: bigint,
): Promise<ReadonlySet<PaymentId>> {
  const { paid, wasted, expired } = sorted(seen, finalizedHeight)
  const ahead = new Set<PaymentId>()
  if (paid.length > 0) {
    const said = await store.inTransaction('service', (tx) => book.used(tx, network, paid))
    for (const { paymentId } of paid) if (!said.has(paymentId)) ahead.add(paymentId)
  }
  if (wasted.length + expired.length > 0) {
    await store.inTransaction('service', async (tx) => {
      const over = [...expired]
      for (const { paymentId, use } of wasted) {
        if (await standsOnFollowed(tx, network, use)) over.push(paymentId)
      }
      await book.over(tx, over)
    })
  }
  return ahead
}

type Wasted = Extract<AuthorizationUse, { kind: 'wasted' }>

function sorted(seen: readonly Seen[], finalizedHeight: bigint) {
  const paid: (Place & { readonly paymentId: PaymentId })[] = []
  const wasted: { readonly paymentId: PaymentId; readonly use: Wasted }[] = []
  const expired: PaymentId[] = []
  for (const each of seen) {
    const { paymentId } = each.purchase
    if (each.kind === 'expired') {
      expired.push(paymentId)
      continue
    }
    const { use, isFinal } = each
    switch (use.kind) {
      case 'paid':
        paid.push({ paymentId, ...use.settlement })
        break
      case 'behind':
        // Another node does not have it yet: the next look may.
        break
      case 'wasted':
        // Cancelled, or spent on something else: over once the block stays.
        if (isFinal && use.height <= finalizedHeight) wasted.push({ paymentId, use })
        break
      default:
        use satisfies never
    }
  }
  return { paid, wasted, expired }
}
