import type { PaymentRemark } from './payment.ts'

const REMARKS = {
  recipient_got_less:
    'The whole amount has left the wallet, and less of it reached the recipient: the token keeps a part of what moves.',
  other_terms:
    'A transaction of this sender in the place of the built one moved something else than was built.',
  several_commitments:
    'A transaction carried the commitments of several payments; none of them counts as paid by it.',
  transaction_reverted: 'The transaction was included and failed; the network kept its fee.',
  nonce_used_by_another_transaction:
    'Another transaction of the sender has used the nonce of the built one.',
  lifetime_over: 'No block up to the last that could hold the transaction holds it.',
} as const satisfies Record<PaymentRemark['reason'], string>

/** What is said of a payment whose transaction did something else than was asked for. */
export function remarkOf(reason: PaymentRemark['reason']): PaymentRemark {
  return { reason, message: REMARKS[reason] }
}

/** What is said where the recipient had made the paying wallet the owner of the account in which it is paid (Solana). */
export const GIVEN_BACK: PaymentRemark = {
  reason: 'recipient_got_less',
  message:
    'The whole amount went to the account of its recipient, which had made the paying wallet the owner of that account: the recipient has nothing of it.',
}
