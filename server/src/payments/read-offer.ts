import type { ChainDirectory } from '../chains/directory.ts'
import { findClaim } from '../facilitator/claim-store.ts'
import { transferKey } from '../facilitator/claim-transfer.ts'
import { takeIn } from '../facilitator/intake.ts'
import type { Intake } from '../facilitator/intake.ts'
import { refusalOf } from '../facilitator/refusal-of.ts'
import type { VerifyDeps } from '../facilitator/verify.ts'
import type { AccountId } from '../kernel/id.ts'
import { expectationOf, isForResource, requirementsOf } from './expectation.ts'
import type { Expectation, Said } from './expectation.ts'
import type { ProofKeys } from './proof.ts'
import { RECEIVE_FIELDS } from './receive.ts'
import { findTransfer } from './receive-transfer.ts'
import { readShownProof } from './shown-proof.ts'
import type { ShownProof } from './shown-proof.ts'

export interface OfferDeps extends Pick<VerifyDeps, 'store' | 'chains' | 'settlersOf'> {
  readonly directory: ChainDirectory
  readonly proofs: ProofKeys
}

export interface OfferOrder {
  readonly accountId: AccountId
  readonly said: Said
  readonly proofText: string
  readonly resource: string | undefined
}

/**
 * Reads what a buyer sent against the seller's own words, as receiving does, for a settlement that the seller's own wallet pays for: on
 * Solana that wallet is the fee payer. Asks no node. Refuses what receiving refuses, and DUPLICATE_SETTLEMENT for a transfer of this
 * service, which its sender sends.
 */
export async function readOffer(deps: OfferDeps, order: OfferOrder): Promise<Intake> {
  const read = readShownProof(order.proofText)
  if (!read.ok) {
    throw refusalOf(read.reason, { paymentProof: 'is not a payment proof of an enabled kind' })
  }
  const { shown } = read
  const expected = expectationOf(deps.directory, order.said, RECEIVE_FIELDS, shown)
  if (!isForResource(shown, order.resource)) {
    throw refusalOf('resource_mismatch', { resource: 'the proof is for something else' })
  }
  if (shown.scheme === 'transfer') return refuseTransfer(deps, order, shown, expected)
  const presented = {
    paymentPayload: shown.header,
    paymentRequirements: requirementsOf(expected, shown),
    ...(order.resource === undefined ? {} : { resource: order.resource }),
  }
  const taken = takeIn(presented, deps.chains, deps.settlersOf, (payTo) => new Set([payTo]))
  if (taken.ok) return taken.intake
  throw refusalOf(taken.reason, {}, taken.message ?? MESSAGES[taken.reason])
}

const MESSAGES: Partial<Record<Parameters<typeof refusalOf>[0], string>> = {
  invalid_exact_svm_fee_payer_not_managed_by_facilitator:
    "The buyer's transaction names another fee payer than the wallet that is to settle it.",
}

/** A transfer has its transaction already; what the caller may know of it is where it stands. */
async function refuseTransfer(
  deps: OfferDeps,
  { accountId }: OfferOrder,
  { proof }: Extract<ShownProof, { scheme: 'transfer' }>,
  expected: Expectation,
): Promise<never> {
  const found = await findTransfer(deps, { proof, expected })
  if (!found.ok) throw refusalOf(found.reason)
  const { claimed, sent } = found.transfer
  const claim = await deps.store.inTransaction('service', (tx) =>
    findClaim(tx, claimed.network, transferKey(claimed.commitment)),
  )
  const message = 'Its sender sends this transfer: there is nothing to build. Receive it instead.'
  throw refusalOf(
    'duplicate_settlement',
    {
      ...(claim?.accountId === accountId ? { paymentId: claim.paymentId } : {}),
      status: sent.status,
      signature: sent.transactionHash,
    },
    message,
  )
}
