import { baseUnits } from '@florin/wire/amount.ts'
import type { Address, Arrival } from '../chain.ts'
import type { Facts } from './facts.ts'
import { ownerBefore } from './paid-into.ts'
import type { Holding } from './token-transfers.ts'

/**
 * Above the index of every instruction, and of every part of a batch. What no instruction tells is counted by its account's place among
 * those of the transaction.
 */
const UNREAD_INDEX = 1_000_000_000

/**
 * What came to associated accounts by nothing that is read: token programs have other ways to move tokens than the ones known here, and get more, and a
 * node may not keep what programs called. `explained` is what the known instructions say that each
 * account has more; what it has beyond that came, all of it in one. As its giver counts the owner who has most less of the mint without an
 * explanation; where nobody has, who sent the transaction.
 */
export function unreadArrivals(
  {
    accounts,
    holdings,
    explained,
  }: {
    readonly accounts: readonly Address[]
    readonly holdings: ReadonlyMap<Address, Holding>
    readonly explained: ReadonlyMap<Address, bigint>
  },
  facts: Pick<Facts, 'tokenAccount'>,
  isWanted: (holding: Holding) => boolean,
): readonly Pick<Arrival, 'asset' | 'from' | 'to' | 'amount' | 'effectIndex'>[] {
  const [payer] = accounts
  const unexplained = (account: Address, { before, after }: Holding): bigint =>
    after - before - (explained.get(account) ?? 0n)
  return [...holdings].flatMap(([account, holding]) => {
    const { mint, owner, program } = holding
    if (!isWanted(holding) || program === undefined || payer === undefined) return []
    const amount = unexplained(account, holding)
    if (amount <= 0n) return []
    if (facts.tokenAccount(owner, { address: mint, program }).address !== account) return []
    const lost = new Map<Address, bigint>()
    for (const [other, each] of holdings) {
      const more = unexplained(other, each)
      if (each.mint !== mint || more >= 0n) continue
      lost.set(ownerBefore(each), (lost.get(ownerBefore(each)) ?? 0n) - more)
    }
    const [giver] = [...lost].toSorted(
      ([, one], [, other]) => Number(other > one) - Number(one > other),
    )
    return [
      {
        asset: mint,
        from: giver?.[0] ?? payer,
        to: owner,
        amount: baseUnits(amount),
        effectIndex: UNREAD_INDEX + accounts.indexOf(account),
      },
    ]
  })
}
