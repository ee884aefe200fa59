import type { SightedTransfer, Sighting } from '../chains/self-custody.ts'
import type { BuiltTerms } from './build.ts'
import type { PaidTerms } from './live-store.ts'
import type { DeadReason, RemarkReason } from '../sender/built-records.ts'

/**
 * What a transaction on chain means for a build. `paid`: it did what was built, and nothing of another payment. `other`: it stands for
 * the build and did something else. `dead`: with that, what was built can take no effect any more while its block stands. `unread`: it
 * stands for the build, and nobody here can say what it did.
 */
export type Judgement =
  | { readonly kind: 'paid'; readonly transfer: SightedTransfer }
  | { readonly kind: 'other'; readonly remark: RemarkReason; readonly dead: DeadReason | null }
  | { readonly kind: 'unread' }

/**
 * Undefined when the transaction has nothing to do with the build. Only what the build's own sender signed has: a stranger who copies a
 * commitment from the chain, or who builds for somebody else's address, says nothing. `isReadable`: whether the venue of its trade is one
 * that is read here.
 */
export function judge(
  build: BuiltTerms,
  sighting: Sighting,
  isReadable = true,
): Judgement | undefined {
  // Where somebody else pays the fee it is another kind of payment, with a record of its own.
  if (sighting.sender !== build.sender) return undefined
  const { commitments, succeeded, isPlain } = sighting
  const takesPlace =
    build.nonce !== null && sighting.sender === build.sender && sighting.nonce === build.nonce
  const carries = build.commitment !== null && commitments.includes(build.commitment)
  if (!takesPlace && !carries) return undefined

  const other = (remark: RemarkReason, dead: DeadReason): Judgement => ({
    kind: 'other',
    remark,
    dead: takesPlace ? dead : null,
  })
  const used = 'nonce_used_by_another_transaction'
  // Without a commitment of its own, the place and the terms are all that tells it.
  const isOurs = build.commitment === null ? commitments.length === 0 : carries
  if (!isOurs) return other(used, used)
  if (commitments.length > 1) return other('several_commitments', used)
  if (!succeeded) return other('transaction_reverted', 'transaction_reverted')
  const isUnread = build.tradeId !== null && !isReadable
  if (isUnread || sighting.isUntold === true) return { kind: 'unread' }
  const [transfer, second] = effectsIn(build, sighting)
  // What a trade gives back, and what it takes to, is beside it.
  const isAlone =
    second === undefined && (isPlain || build.commitment === null || build.tradeId !== null)
  if (transfer !== undefined && isAlone) return { kind: 'paid', transfer }
  return other(build.commitment === null ? used : 'other_terms', used)
}

/** The terms of builds without a commitment that a transaction pays at its place: exactly those that `judge` calls paid. */
export function termsPaid(sighting: Sighting): readonly PaidTerms[] {
  const { sender, nonce, commitments, succeeded, transfers } = sighting
  if (nonce === null || commitments.length > 0 || !succeeded) return []
  const own = transfers.filter(({ from }) => from === sender)
  const alike = Map.groupBy(own, (each) => [each.asset, each.to, sent(each)].join(' '))
  return [...alike.values()].flatMap(([one, second]) =>
    one === undefined || second !== undefined
      ? []
      : [{ sender, nonce, asset: one.asset, recipient: one.to, amount: sent(one) }],
  )
}

/**
 * What a transaction on chain means for a build that settles somebody's proof. `settled`: exactly its bytes took effect. `look`: where
 * whoever likes may settle the same proof, the chain's own word about that proof counts, and now is the time to ask for it.
 */
export type SettlementJudgement =
  | { readonly kind: 'settled'; readonly transfer: SightedTransfer }
  | { readonly kind: 'look'; readonly dead: DeadReason | null }
  | { readonly kind: 'failed' }
  /** Its bytes took effect, and no node tells which. */
  | { readonly kind: 'unread' }

/** Undefined when it has nothing to do with the build, or shows nothing that could be told. */
export function judgeSettlement(
  build: BuiltTerms,
  sighting: Sighting,
): SettlementJudgement | undefined {
  if (sighting.sender !== build.sender) return undefined
  const settles = sighting.proofKey === build.proofKey
  if (build.nonce !== null) {
    const takesPlace = sighting.nonce === build.nonce
    if (!settles && !takesPlace) return undefined
    return { kind: 'look', dead: takesPlace ? 'nonce_used_by_another_transaction' : null }
  }
  if (!settles) return undefined
  if (!sighting.succeeded) return { kind: 'failed' }
  if (sighting.isUntold === true) return { kind: 'unread' }
  const { asset, recipient, amount } = build
  const transfer = sighting.transfers.find(
    (each) => each.asset === asset && each.to === recipient && each.amount === amount,
  )
  return transfer && { kind: 'settled', transfer }
}

/**
 * A market whose liquidity ends may take a part of what is sold, and gives the minimum for it: that is the sale, too. And what came to the
 * recipient's own account was paid, though the recipient gave that account away meanwhile or the token kept a part: called unpaid, it would
 * be paid again. Not where it was given to the sender, who has it all still. A sale of which the node does not keep to whom it went is one by
 * what the sender has less: called something else, it would be made again.
 */
function effectsIn(
  build: BuiltTerms,
  { transfers, spent = [] }: Pick<Sighting, 'transfers' | 'spent'>,
): readonly SightedTransfer[] {
  const isTheirs = ({ asset, from, to, isInto }: SightedTransfer) =>
    asset === build.asset &&
    from === build.sender &&
    (to === build.recipient || (to !== from && isInto?.(build.recipient) === true))
  const whole = transfers.filter((each) => isTheirs(each) && sent(each) === build.amount)
  if (whole.length > 0 || build.tradeId === null || build.asset === 'native') return whole
  const part = transfers.filter(
    (each) => isTheirs(each) && each.amount > 0n && each.amount < build.amount,
  )
  if (part.length > 0) return part
  const { asset, sender: from, recipient: to, amount } = build
  return spent
    .filter((each) => each.asset === asset && each.amount === amount)
    .map(({ effectIndex }) => ({ asset, from, to, amount, effectIndex }))
}

/** What left the sender of a transfer. */
function sent({ amount, asked }: SightedTransfer): bigint {
  return asked ?? amount
}
