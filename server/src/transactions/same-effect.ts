import { timingSafeEqual } from 'node:crypto'
import type { SelfCustody } from '../chains/self-custody.ts'
import { fingerprint } from '../idempotency/fingerprint.ts'
import type { Build, UnsignedFacts } from './build.ts'
import { summaryFacts } from './facts-of.ts'
import { readTransaction } from './read-transaction.ts'

type Parties = Pick<Build, 'sender' | 'recipient'>

/** Whether two transactions do the same beside paying their fee; the sender stands in for whoever signs. */
export function isSameEffect(
  selfCustody: SelfCustody,
  parties: Parties,
  one: Uint8Array,
  other: Uint8Array,
): boolean {
  return timingSafeEqual(effectOf(selfCustody, parties, one), effectOf(selfCustody, parties, other))
}

/** A summary says of a contract's call only that there is one: whether it is this very one. */
export function carriesCall({ data }: Pick<UnsignedFacts, 'data'>, bytes: Uint8Array): boolean {
  return Buffer.from(bytes).includes(Buffer.from(data.slice(2), 'hex'))
}

function effectOf(
  selfCustody: SelfCustody,
  { sender, recipient }: Parties,
  bytes: Uint8Array,
): Uint8Array {
  const { summary } = readTransaction(selfCustody, bytes, [sender, recipient])
  const { feePayer, transfers, ...rest } = summaryFacts(summary)
  return fingerprint({
    ...rest,
    feePayer: feePayer ?? sender,
    transfers: transfers.map(({ from, ...transfer }) => ({ ...transfer, from: from ?? sender })),
  })
}
