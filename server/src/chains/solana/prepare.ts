import type { Address } from '../chain.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type {
  BuildFee,
  BuildOrder,
  Preparation,
  PrepareOutcome,
  PrepareSettlementOutcome,
} from '../self-custody.ts'
import { draftTransfer } from './draft.ts'
import type { DraftDeps } from './draft.ts'
import { isBySmartWallet } from './exact-read.ts'
import { SIGNATURE_FEE, priorityFeeOf } from './fees.ts'
import { inspectBytes } from './inspect.ts'
import { readPaymentTerms } from './payment-terms.ts'
import { NO_SIGNATURE, unsignedBytes, withSignature } from './sign.ts'
import { readTerms } from './terms.ts'
import type { OpenedModule } from './venue-module.ts'

export interface PrepareDeps extends DraftDeps {
  readonly exact: ExactPayments
  /** Venues from outside, whose trades are followed. */
  readonly modules?: readonly OpenedModule[]
}

/** Asks what a transfer from somebody else's wallet needs. */
export async function prepareTransfer(
  deps: PrepareDeps,
  order: BuildOrder,
): Promise<PrepareOutcome> {
  const outcome = await draftTransfer({ ...deps, sharesLifetime: true }, order)
  if (!outcome.ok) return outcome
  const { terms: stored, balances, carriesCommitment } = outcome.draft
  const terms = readTerms(stored, deps.config.network)
  const { accountRent, budget, lastValidBlockHeight } = terms
  const priority = priorityFeeOf(budget)
  const fee = { max: SIGNATURE_FEE + accountRent + priority, priority, accountRent }
  return {
    ok: true,
    preparation: preparationOf(deps, {
      transaction: withSignature(NO_SIGNATURE, unsignedBytes(terms)),
      wallets: [order.recipient],
      balances,
      fee,
      lastValidBlockHeight,
      carriesCommitment,
    }),
  }
}

/** Asks what the buyer's transaction needs that waits for the seller's signature alone. */
export async function prepareSettlement(
  deps: PrepareDeps,
  authorization: ExactAuthorization,
  settler: Address,
): Promise<PrepareSettlementOutcome> {
  if (isBySmartWallet(authorization)) {
    const message = 'The payer is a smart wallet; have the facilitator settle its payment.'
    return { ok: false, reason: 'unsupported_payload_type', message }
  }
  const outcome = await deps.exact.draft(authorization, settler)
  if (!outcome.ok) return outcome
  const { terms: stored, settlerBalance, feeCeiling } = outcome.draft
  const terms = readPaymentTerms(stored, deps.config.network)
  const transaction = new Uint8Array(Buffer.from(terms.transaction, 'base64'))
  const inspected = inspectBytes(deps, transaction, [authorization.payTo])
  if (!inspected.ok) {
    const reason = 'invalid_exact_svm_payload_transaction_could_not_be_decoded'
    return {
      ok: false,
      reason,
      message: `The buyer's transaction cannot be built on: ${inspected.reason}.`,
    }
  }
  return {
    ok: true,
    preparation: preparationOf(deps, {
      transaction,
      wallets: [authorization.payTo],
      balances: { native: settlerBalance, asset: authorization.amount },
      fee: { max: feeCeiling, priority: priorityOf(feeCeiling), accountRent: 0n },
      lastValidBlockHeight: terms.lastValidBlockHeight,
      carriesCommitment: false,
    }),
  }
}

/** The buyer signs and the seller does. */
function priorityOf(fee: bigint): bigint {
  const signatures = SIGNATURE_FEE * 2n
  return fee > signatures ? fee - signatures : 0n
}

/** A build whose every byte is decided. */
export function preparationOf(
  deps: Pick<PrepareDeps, 'facts'>,
  made: {
    readonly transaction: Uint8Array
    readonly wallets: readonly Address[]
    readonly balances: Preparation['balances']
    readonly fee: BuildFee
    readonly lastValidBlockHeight: bigint
    readonly carriesCommitment: boolean
  },
): Preparation {
  const { transaction, wallets, balances, fee, lastValidBlockHeight, carriesCommitment } = made
  const inspected = inspectBytes(deps, transaction, wallets)
  if (!inspected.ok) throw new Error(`a built transaction cannot be read: ${inspected.reason}`)
  return {
    balances: { native: balances.native, asset: balances.asset },
    fee,
    // Transactions have no places here, so nothing is left to decide.
    build: () => ({
      transaction,
      format: 'solana-v0',
      nonce: null,
      lastValidBlockHeight,
      validSeconds: deps.facts.validSeconds(),
      expiryEnforcedByChain: true,
      fee,
      carriesCommitment,
      summary: inspected.summary,
      unsigned: null,
    }),
  }
}
