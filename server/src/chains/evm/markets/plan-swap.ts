import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from '../../chain.ts'
import type { Address, Draft, Terms } from '../../chain.ts'
import type { AllowanceDraft, SwapDraftOutcome, SwapOrder } from '../../venue.ts'
import type { DraftDeps } from '../draft.ts'
import { firstFees } from '../fees.ts'
import type { Gathered } from '../gather.ts'
import { gatherFacts } from '../gather.ts'
import { writeTerms } from '../terms.ts'
import type { Call } from '../transfer.ts'
import { allowanceView, approveCall } from './allowance.ts'
import { APPROVE_GAS, SWAP_GAS, SWAP_GAS_MAX, limitForUsed, swapGasLimit } from './swap-gas.ts'
import { triedRead } from './try-swap.ts'

/** A swap as its router takes it. */
export interface Swap {
  readonly call: Call
  /** Sell: what the router must be allowed to take; null for a buy. */
  readonly spending: { readonly token: Address; readonly spender: Address } | null
  /** Whether the market would give less than the minimum now, for nodes that do not say why a call fails. */
  isPriceGone(): Promise<boolean>
}

/** A swap that can be signed, and the allowance that must come before it. */
export interface SwapPlan {
  readonly terms: Terms
  readonly feeCeiling: BaseUnits
  readonly balances: Draft['balances']
  readonly laneLatest: bigint
  readonly allowance: AllowanceDraft | null
}

type Refusal = Extract<SwapDraftOutcome, { ok: false }>
/** Gas limits; the allowance's is null when there is enough of it already. */
type Gas = { readonly swap: bigint; readonly allowance: bigint | null }

/** What routers say when less than the minimum would come out. */
const PRICE_GONE = /INSUFFICIENT_OUTPUT_AMOUNT|Too little received|Insufficient WETH9/

/**
 * Asks in one round trip what a swap needs, and in a second one, where an allowance is short, how the two of them would go one after
 * the other. A wallet that is short of what goes in gets a plan with stated gas, so that the caller can say how much is missing.
 */
export async function planSwap(
  deps: DraftDeps,
  order: SwapOrder,
  swap: Swap,
): Promise<{ readonly ok: true; readonly plan: SwapPlan } | Refusal> {
  const { wallet: sender, quote } = order
  const { call, spending } = swap
  const asset = spending?.token ?? 'native'
  const facts = await gatherFacts(deps, { sender, asset: { asset } }, call, {
    gasMax: SWAP_GAS_MAX,
    more: spending === null ? [] : [allowanceView(spending.token, sender, spending.spender)],
  })
  const gas = await gasOf(deps, order, swap, facts)
  if ('refusal' in gas) return gas
  const { config, chainId } = deps
  // What the caller offers to be included sooner is for both.
  const total = gas.swap + (gas.allowance ?? 0n)
  const fees = firstFees(facts.market, total, config.fees, order.priorityFee)
  const { ceilingMultiple } = config.fees
  const dataFeeMax = baseUnits(facts.dataFee * ceilingMultiple)
  const draftOf = (of: Call, limit: bigint): AllowanceDraft => ({
    terms: writeTerms({ chainId, sender, call: of, gas: limit, fees, dataFeeMax }),
    feeCeiling: baseUnits(limit * fees.maxFeePerGas * ceilingMultiple + dataFeeMax),
  })
  const allowance =
    spending === null || gas.allowance === null
      ? null
      : draftOf(approveCall(spending.token, spending.spender, quote.amountIn), gas.allowance)
  const { balances, laneLatest } = facts
  return { ok: true, plan: { ...draftOf(call, gas.swap), balances, laneLatest, allowance } }
}

async function gasOf(
  deps: DraftDeps,
  { wallet, quote: { amountIn } }: SwapOrder,
  swap: Swap,
  { estimate, balances, more: [allowed = 0n] }: Gathered,
): Promise<Gas | Refusal> {
  const { call, spending } = swap
  if ('gas' in estimate) return { swap: swapGasLimit(estimate.gas, call.data), allowance: null }
  const isShort = spending !== null && allowed < amountIn
  const stated = { swap: SWAP_GAS, allowance: isShort ? APPROVE_GAS : null }
  if (balances.asset < amountIn) return stated
  if (!isShort) {
    if (estimate.problem === 'reverted') return await refusalFor(swap, estimate.reason)
    throw new NodeFailure('the node calls a balance short that it also calls enough')
  }
  const approve = approveCall(spending.token, spending.spender, amountIn)
  const tried = await deps.transport.read(triedRead(wallet, [approve, call], SWAP_GAS_MAX))
  if (tried === 'unknown') {
    return (await swap.isPriceGone()) ? { ok: false, refusal: 'price_moved' } : stated
  }
  const [approved, swapped] = tried
  if (approved?.succeeded !== true) return { ok: false, refusal: 'no_market' }
  if (swapped?.succeeded !== true) return await refusalFor(swap, swapped?.reason ?? '')
  return {
    swap: limitForUsed(swapped.gasUsed, true),
    allowance: limitForUsed(approved.gasUsed, false),
  }
}

async function refusalFor(swap: Swap, reason: string): Promise<Refusal> {
  const isPrice = PRICE_GONE.test(reason) || (await swap.isPriceGone())
  return { ok: false, refusal: isPrice ? 'price_moved' : 'no_market' }
}
