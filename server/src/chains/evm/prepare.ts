import type { BaseUnits } from '@florin/wire/amount.ts'
import { limits } from '../../kernel/limits.ts'
import type { Address, Terms } from '../chain.ts'
import type { ExactAuthorization, ExactPayments } from '../exact.ts'
import type {
  BuildOrder,
  Built,
  Preparation,
  PrepareOutcome,
  PrepareSettlementOutcome,
} from '../self-custody.ts'
import { nonceRead } from './blocks.ts'
import { summaryOf } from './call-summary.ts'
import { draftTransfer } from './draft.ts'
import type { DraftDeps } from './draft.ts'
import type { Facts } from './facts.ts'
import { TRANSFER_GAS_READ_MAX } from './gas-read.ts'
import { hexBytes } from './hex.ts'
import type { Explain } from './markets/router-calls.ts'
import { unsignedBytes } from './sign.ts'
import { readTerms } from './terms.ts'
import type { EvmTerms } from './terms.ts'

export interface PrepareDeps extends DraftDeps {
  readonly facts: Facts
  readonly tokens: ReadonlySet<string>
  /** What calls of routers mean; left out where nothing is traded. */
  readonly explain?: Explain
  readonly exact: ExactPayments
}

/** Asks what a transfer from somebody else's wallet needs; the pool counts, since its owner may have sent others. */
export async function prepareTransfer(
  deps: PrepareDeps,
  order: BuildOrder,
): Promise<PrepareOutcome> {
  const [outcome, latest] = await Promise.all([
    draftTransfer({ ...deps, noncesOf: 'pending' }, order),
    deps.facts.latest(),
  ])
  if (!outcome.ok) return outcome
  const { terms, balances, laneLatest, carriesCommitment } = outcome.draft
  if (readTerms(terms, deps.chainId).gas > TRANSFER_GAS_READ_MAX) {
    return { ok: false, refusal: 'takes_too_much_gas' }
  }
  const facts = { balances, nextNonce: laneLatest, height: latest.height, carriesCommitment }
  return { ok: true, preparation: preparationOf(deps, terms, facts) }
}

/** Asks what the settling call needs that the seller's own wallet sends. */
export async function prepareSettlement(
  deps: PrepareDeps,
  authorization: ExactAuthorization,
  settler: Address,
  priorityFee?: BaseUnits,
): Promise<PrepareSettlementOutcome> {
  const [outcome, nextNonce, latest] = await Promise.all([
    deps.exact.draft(authorization, settler),
    deps.transport.read(nonceRead(settler, 'pending')),
    deps.facts.latest(),
  ])
  if (!outcome.ok) return outcome
  const { terms, settlerBalance, runsPayerCode } = outcome.draft
  if (runsPayerCode === true) {
    const message = 'The payer is an account with code; have the facilitator settle its payment.'
    // Its signature may well be good: what is refused is this way of settling it.
    const isPermit2 = authorization.permit2 !== undefined
    const reason = isPermit2 ? 'unsupported_payload_type' : 'invalid_exact_evm_signature'
    return { ok: false, reason, message }
  }
  const balances = { native: settlerBalance, asset: authorization.amount }
  const facts = { balances, nextNonce, height: latest.height, carriesCommitment: false }
  return { ok: true, preparation: preparationOf(deps, terms, facts, priorityFee) }
}

/** What is signed elsewhere, from the terms that a draft wrote. */
export function preparationOf(
  {
    config,
    chainId,
    tokens,
    explain,
  }: Pick<PrepareDeps, 'config' | 'chainId' | 'tokens' | 'explain'>,
  stored: Terms,
  facts: {
    readonly balances: Preparation['balances']
    readonly nextNonce: bigint
    readonly height: bigint
    readonly carriesCommitment: boolean
  },
  priorityFee?: BaseUnits,
): Preparation {
  const terms = withTip(readTerms(stored, chainId), config.fees.feePerGasMax, priorityFee)
  const { sender, call, gas, fees, dataFeeMax } = terms
  const blocks = BigInt(Math.ceil((limits.buildValidSeconds * 1000) / config.blockTimeMilliseconds))
  const fee = {
    max: gas * fees.maxFeePerGas + dataFeeMax,
    priority: gas * fees.maxPriorityFeePerGas,
    accountRent: 0n,
  }
  const summary = summaryOf({ ...call, from: sender, extras: [] }, tokens, explain)
  return {
    balances: { native: facts.balances.native, asset: facts.balances.asset },
    fee,
    build: (noncesTaken): Built => {
      const nonce = freeNonce(facts.nextNonce, noncesTaken)
      return {
        transaction: unsignedBytes(terms, nonce),
        format: 'eip1559-rlp',
        nonce,
        lastValidBlockHeight: facts.height + blocks,
        validSeconds: limits.buildValidSeconds,
        expiryEnforcedByChain: false,
        fee,
        carriesCommitment: facts.carriesCommitment,
        summary,
        unsigned: {
          to: call.to,
          value: call.value,
          data: hexBytes(call.data),
          nonce,
          gas,
          ...fees,
          chainId,
        },
      }
    },
  }
}

function freeNonce(next: bigint, taken: readonly bigint[]): bigint {
  const isTaken = new Set(taken)
  let nonce = next
  while (isTaken.has(nonce)) nonce += 1n
  return nonce
}

/** The same terms with a tip of the caller's choice: its total over the gas limit, within the highest fee per gas. */
function withTip(terms: EvmTerms, feePerGasMax: bigint, total: BaseUnits | undefined): EvmTerms {
  if (total === undefined) return terms
  const { maxFeePerGas, maxPriorityFeePerGas } = terms.fees
  const tip = total / terms.gas
  const wanted = maxFeePerGas - maxPriorityFeePerGas + tip
  const max = wanted < feePerGasMax ? wanted : feePerGasMax
  return {
    ...terms,
    fees: { maxFeePerGas: max, maxPriorityFeePerGas: tip < max ? tip : max },
  }
}
