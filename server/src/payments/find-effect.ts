import type { TokenTransfer } from '../chains/chain.ts'
import type { PaymentBook } from '../sender/book.ts'
import type { Payment, PaymentRemark } from './payment.ts'
import { GIVEN_BACK, remarkOf } from './remark.ts'

/** What a transaction did for a payment: its log, null for native currency, and what of it was not as asked for. */
export interface FoundEffect {
  readonly logIndex: number | null
  readonly remark?: PaymentRemark
}

/**
 * The effect that this payment asked for: its own Transfer log for a token, and for a native transfer the success itself, since
 * recipient and value are part of the signed bytes. One log counts for one payment, by its index in `used`. A market whose liquidity ends
 * may take a part of what is sold, and gives the minimum for it: the sale has happened, and what is left in the wallet is found by the next
 * look at its balance. What went to the recipient's own account has left the wallet, whomever the recipient has made that account's owner
 * since the draft; and so has all that our own bytes sent of a token that keeps a part of it: called a failure, either would be paid again.
 * Where that new owner is the paying wallet itself, its own account has less all the same, and nobody was paid by it.
 */
export function findEffect(
  payment: Payment,
  { transfers, paysAccounts }: Parameters<PaymentBook['mined']>[1][number],
  used: Set<number>,
): FoundEffect | undefined {
  if (payment.asset === 'native') return { logIndex: null }
  const given = transfers.filter(
    ({ asset, from, logIndex }) =>
      !used.has(logIndex) && asset === payment.asset && from === payment.sender,
  )
  const candidates = given.filter(({ to }) => to === payment.recipient)
  const isWhole = ({ amount }: TokenTransfer) => amount === payment.amount
  // Only our own bytes are known to name the recipient's account: a payer's may name a program that moves the money on.
  const isOurs = payment.type === 'sent'
  const whole =
    candidates.find(isWhole) ?? (isOurs && paysAccounts === true ? given.find(isWhole) : undefined)
  // And only they are known to have sent all of it. A claim is no payment for less than was asked for.
  const part =
    whole === undefined && isOurs
      ? candidates.find(({ amount }) => amount > 0n && amount < payment.amount)
      : undefined
  const found = whole ?? part
  if (found === undefined) return undefined
  used.add(found.logIndex)
  const { logIndex } = found
  if (payment.tradeId === undefined && found.to !== payment.recipient && found.to === found.from) {
    return { logIndex, remark: GIVEN_BACK }
  }
  const isLess = part !== undefined && payment.tradeId === undefined
  return isLess ? { logIndex, remark: remarkOf('recipient_got_less') } : { logIndex }
}
