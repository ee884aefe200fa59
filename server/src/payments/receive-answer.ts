import { formatAmount } from '@florin/wire/amount.ts'
import { networkAliasOf } from '@florin/wire/network-alias.ts'
import { RawJson } from '@florin/wire/raw-json.ts'
import { encodePaymentResponse } from '@florin/wire/x402/payment-header.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import { claimOfPayment } from '../facilitator/claim-store.ts'
import type { AccountId } from '../kernel/id.ts'
import { attemptsOfPayments } from '../sender/transaction-store.ts'
import type { Store } from '../store/postgres.ts'
import type { Payment } from './payment.ts'
import type { Received } from './receive.ts'
import { findPayment } from './store.ts'

/** The facts of a success, as the record tells them now. */
export async function receivedFacts(
  { store, facilitator }: { readonly store: Store; readonly facilitator: string },
  accountId: AccountId,
  { paymentId, state }: Received,
) {
  const { payment, claim, attempts } = await store.inTransaction(accountId, async (tx) => ({
    payment: await findPayment(tx, accountId, paymentId),
    claim: await claimOfPayment(tx, accountId, paymentId),
    attempts: (await attemptsOfPayments(tx, [paymentId])).get(paymentId) ?? [],
  }))
  if (payment === undefined) throw new Error('a claim has no record')
  const signature = payment.transactionHash ?? state.hash ?? ''
  const { logIndex, blockHeight } = payment
  const isOurs = attempts.some(({ hash }) => hash === signature)
  return {
    verified: true as const,
    paymentId,
    signature,
    ...(logIndex === null || logIndex < 0 ? {} : { logIndex }),
    network: payment.network,
    asset: payment.asset,
    amount: new RawJson(formatAmount(payment.amount, payment.decimals)),
    amountBaseUnits: payment.amount.toString(),
    sender: payment.sender,
    recipient: payment.recipient,
    status: payment.status,
    // Whoever was asked last, unless the transaction is one of ours.
    facilitator: isOurs ? facilitator : (claim?.facilitator ?? facilitator),
    resource: payment.resource,
    blockHeight: blockHeight === null ? null : Number(blockHeight),
    paymentResponse: responseOf(payment, signature, claim?.x402Version ?? 2),
  }
}

/** What the seller hands to its buyer, in the version that the buyer spoke. Source: x402 v1 and v2, SettlementResponse. */
function responseOf(
  { network, sender, amount }: Payment,
  transaction: string,
  x402Version: X402Version,
): string {
  const shared = { success: true, payer: sender, transaction }
  return encodePaymentResponse(
    x402Version === 1
      ? { ...shared, network: networkAliasOf(network) ?? network }
      : { ...shared, network, amount: `${amount}` },
  )
}
