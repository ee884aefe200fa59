import type { Chain } from '../chains/chain.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Store } from '../store/postgres.ts'
import { noteVerdict, takeDue } from './submission-store.ts'

/**
 * Sends stored bytes again that callers have submitted, until a block shows them or they can be included no more: a node may have
 * forgotten them, and whoever was to send them first may have died before it did. Sending them twice moves nothing twice.
 */
export async function resendSubmissions(
  { store, clock }: { readonly store: Store; readonly clock: Clock },
  chain: Chain,
  stopping?: AbortSignal,
): Promise<void> {
  const { network } = chain.config
  if (chain.selfCustody === undefined || stopping?.aborted === true) return
  const due = await store.inTransaction('service', (tx) =>
    takeDue(tx, network, clock.nowMilliseconds()),
  )
  if (due.length === 0) return
  const verdicts = await chain.broadcast(due.map(({ raw }) => raw))
  await store.inTransaction('service', async (tx) => {
    for (const [index, { hash, paymentId }] of due.entries()) {
      const verdict = verdicts[index]
      if (verdict !== undefined) {
        await noteVerdict(tx, { network, hash, paymentId }, verdict, clock.nowMilliseconds())
      }
    }
  })
}
