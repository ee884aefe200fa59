import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Draft, DraftRefusal } from '../chains/chain.ts'
import { carry } from './carry.ts'
import type { CarryDeps, CarryOrder, CarryResult } from './carry.ts'
import { SEND_OPERATION } from './commit-sends.ts'
import type { ProofKeys } from './proof.ts'

export interface SendDeps extends CarryDeps {
  readonly proofs: ProofKeys
}

/** A send as the door has parsed it. */
export interface SendOrder extends Omit<CarryOrder, 'drafted' | 'operation' | 'walletField'> {
  readonly recipient: Address
  readonly amount: BaseUnits
}

/**
 * Pays from a custodial wallet: asks the node, decides and stores in one transaction, and only then lets the bytes out.
 * A refusal means that nothing was stored. After the commit nothing here throws anything but TRANSACTION_FAILED or
 * AfterCommit, both naming the payment.
 */
export async function sendPayment(deps: SendDeps, order: SendOrder): Promise<CarryResult> {
  const { recipient, amount } = order
  const result = await carry(deps, {
    ...order,
    operation: SEND_OPERATION,
    walletField: 'walletAddress',
    drafted: async (paymentId) => {
      const commitment = deps.proofs.commitmentOf({
        paymentId,
        network: order.chain.config.network,
        asset: order.asset.asset,
        sender: order.walletAddress,
        recipient,
        amount,
        resource: order.resource,
      })
      return { recipient, amount, commitment, draft: await draftOf(order, commitment) }
    },
  })
  const { payment } = result
  if (payment.status === 'failed') {
    throw new Refusal('TRANSACTION_FAILED', {
      details: {
        paymentId: payment.id,
        reason: payment.failure?.reason,
        signature: payment.transactionHash,
      },
    })
  }
  return result
}

/** Asks the node what a transfer takes. Refuses what its recipient would. */
export async function draftOf(
  order: Pick<
    SendOrder,
    'chain' | 'walletAddress' | 'recipient' | 'asset' | 'amount' | 'priorityFee'
  >,
  commitment: Uint8Array,
): Promise<Draft> {
  const outcome = await order.chain.draft({
    sender: order.walletAddress,
    recipient: order.recipient,
    asset: order.asset,
    amount: order.amount,
    ...(order.priorityFee === null ? {} : { priorityFee: order.priorityFee }),
    commitment,
  })
  if (!outcome.ok) {
    throw new Refusal('INVALID_RECIPIENT', {
      details: { recipientAddress: RECIPIENT_RULES[outcome.refusal] },
    })
  }
  return outcome.draft
}

const RECIPIENT_RULES = {
  recipient_refuses: 'the recipient or the token would refuse this transfer on chain',
  recipient_is_asset: 'must not be a token contract',
  recipient_is_zero: 'must not be the zero address',
  recipient_is_no_wallet: 'must be an account that a key controls, not a program',
  amount_below_rent: 'is a new account, and the amount is below the rent-exempt minimum',
} as const satisfies Record<DraftRefusal, string>
