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

/**
 * Lamports that came to wallets by nothing that is read: a transfer with a seed, the withdrawal of a nonce, an account that was closed, or a program's own
 * hand. Only to wallets that signed nothing: of one that did, fees, rent that comes back and what its own trades gave are part of its balance. `transfers` are
 * those that are read. As the giver counts who has most less without an explanation, of a token account its owner; where nobody has, who sent the transaction.
 */
export function unreadLamports(
  {
    accounts,
    signers,
    gained,
    fee,
    holdings,
    transfers,
  }: {
    readonly accounts: readonly Address[]
    /** How many of the accounts signed, the first ones. */
    readonly signers: number
    /** What each account has more than before. */
    readonly gained: readonly bigint[]
    readonly fee: bigint
    readonly holdings: ReadonlyMap<Address, Holding>
    readonly transfers: readonly Pick<Arrival, 'from' | 'to' | 'amount'>[]
  },
  isWanted: (account: Address) => boolean,
): readonly Pick<Arrival, 'asset' | 'from' | 'to' | 'amount' | 'effectIndex'>[] {
  const [payer] = accounts
  if (payer === undefined) return []
  const more = new Map(accounts.map((account, at) => [account, gained[at] ?? 0n]))
  const add = (account: Address, lamports: bigint) =>
    more.set(account, (more.get(account) ?? 0n) + lamports)
  add(payer, fee)
  for (const { from, to, amount } of transfers) {
    add(from, amount)
    add(to, 0n - amount)
  }
  const [giver, lost = 0n] =
    [...more].toSorted(([, one], [, other]) => Number(one > other) - Number(one < other))[0] ?? []
  const held = giver === undefined ? undefined : holdings.get(giver)
  const from = lost < 0n ? (held === undefined ? giver : ownerBefore(held)) : undefined
  return accounts.slice(signers).flatMap((account, place) => {
    const amount = more.get(account) ?? 0n
    if (!isWanted(account) || amount <= 0n) return []
    const effectIndex = UNREAD_INDEX + signers + place
    return [
      { asset: 'native', from: from ?? payer, to: account, amount: baseUnits(amount), effectIndex },
    ]
  })
}
