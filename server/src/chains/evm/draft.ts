import { baseUnits } from '@florin/wire/amount.ts'
import { inBooks } from '../../kernel/currency-tokens.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address, Draft, DraftOutcome, DraftRefusal, TransferOrder } from '../chain.ts'
import { ZERO_ADDRESS, parseAddress } from './account.ts'
import type { Facts } from './facts.ts'
import type { EstimateProblem } from './failures.ts'
import { firstFees } from './fees.ts'
import { gatherFacts } from './gather.ts'
import type { Gathered } from './gather.ts'
import { TOKEN_CALL_GAS, gasLimit, plainGas } from './gas.ts'
import { MULTICALL } from './multicall.ts'
import { writeTerms } from './terms.ts'
import { transferCall } from './transfer.ts'
import type { Call } from './transfer.ts'
import type { Transport } from '../json-rpc/transport.ts'

export interface DraftDeps {
  readonly transport: Transport
  readonly config: NetworkConfig
  readonly chainId: bigint
  /** What all drafts share; left out, each asks for itself. */
  readonly facts?: Facts
  /** The state of the chain whose used-up nonces count; left out, `latest`. */
  readonly noncesOf?: 'latest' | 'pending'
}

/**
 * Asks in one round trip what a transfer needs. A second one happens only when the call fails with the commitment
 * although the balance is there: the recipient's code may refuse call data, so the call is tried without.
 */
export async function draftTransfer(deps: DraftDeps, order: TransferOrder): Promise<DraftOutcome> {
  const { config } = deps
  const refusal = refusalOf(config, order.recipient)
  if (refusal !== undefined) return { ok: false, refusal }
  const token = tokenOf(order)
  const wantsCommitment = token === undefined || order.asset.takesCommitment
  const call = transferCall(order, token, wantsCommitment)
  const facts = await gatherFacts(deps, order, call)
  if ('gas' in facts.estimate) {
    return draftOf(deps, order, call, facts, gasLimit(facts.estimate.gas, call.data))
  }
  const short = shortDraft(deps, order, call, facts, facts.estimate.problem)
  if (short !== undefined) return short
  const bare = transferCall(order, token, false)
  const again = await gatherFacts(deps, order, bare)
  if ('gas' in again.estimate) {
    return draftOf(deps, order, bare, again, gasLimit(again.estimate.gas, bare.data))
  }
  // Read again, because the balance may have gone between the two round trips.
  return (
    shortDraft(deps, order, bare, again, again.estimate.problem) ?? {
      ok: false,
      refusal: 'recipient_refuses',
    }
  )
}

function refusalOf(config: NetworkConfig, recipient: Address): DraftRefusal | undefined {
  if (recipient === ZERO_ADDRESS) return 'recipient_is_zero'
  const isAsset = config.assets.some(({ asset }) => asset === recipient)
  return isAsset || recipient === MULTICALL ? 'recipient_is_asset' : undefined
}

function tokenOf({ asset }: TransferOrder): Address | undefined {
  if (asset.asset === 'native') return undefined
  const token = parseAddress(asset.asset)
  if (token === undefined) throw new Error('an asset without a proper address')
  return token
}

/**
 * A draft with computed gas when the estimate failed for want of money, so that the caller can say how much is
 * missing; undefined when there is enough. Throws NodeFailure when the node says short and the balances say enough.
 */
function shortDraft(
  deps: DraftDeps,
  order: TransferOrder,
  call: Call,
  facts: Gathered,
  problem: EstimateProblem,
): DraftOutcome | undefined {
  const isNative = order.asset.asset === 'native'
  const gas = isNative ? plainGas(call.data) : TOKEN_CALL_GAS
  const outcome = draftOf(deps, order, call, facts, gas)
  const { native, asset } = facts.balances
  if (asset < order.amount) return outcome
  const booked = inBooks(order.asset, order.amount)
  const required = outcome.draft.feeCeiling + (booked.asset === 'native' ? booked.amount : 0n)
  // The fee comes out of the same balance before the call: that it cannot pay both is no recipient's doing.
  if (order.asset.isCurrency === true && native < required) return outcome
  if (problem === 'reverted') return undefined
  if (native < required) return outcome
  throw new NodeFailure('the node calls a balance short that it also calls enough')
}

function draftOf(
  { config, chainId }: DraftDeps,
  order: TransferOrder,
  call: Call,
  { balances, laneLatest, dataFee, market, timeSeconds: chainTimeSeconds }: Gathered,
  gas: bigint,
): { ok: true; draft: Draft } {
  const fees = firstFees(market, gas, config.fees, order.priorityFee)
  const { ceilingMultiple } = config.fees
  const dataFeeMax = baseUnits(dataFee * ceilingMultiple)
  const feeCeiling = baseUnits(gas * fees.maxFeePerGas * ceilingMultiple + dataFeeMax)
  const terms = writeTerms({ chainId, sender: order.sender, call, gas, fees, dataFeeMax })
  const priorityFee = baseUnits(gas * fees.maxPriorityFeePerGas)
  const carriesCommitment = carries(order, call)
  const money = { feeCeiling, priorityFee, balances, laneLatest, chainTimeSeconds }
  return { ok: true, draft: { terms, carriesCommitment, ...money } }
}

function carries(order: TransferOrder, { data }: Call): boolean {
  return Buffer.from(data).subarray(-order.commitment.length).equals(order.commitment)
}
