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

/** What a sell lets its router take, and where that goes. */
interface Spending {
  readonly token: Address
  readonly spender: Address
  readonly pool: Address
}

/** A swap as its router takes it. */
export interface Swap {
  readonly call: Call
  /** Sell: what the router must be allowed to take; null for a buy. */
  readonly spending: Spending | null
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

/** What routers say after the deadline, and when less than the minimum would come out. */
const TIME_LEAPT = /\bEXPIRED\b|Transaction too old/
const PRICE_GONE = /INSUFFICIENT_OUTPUT_AMOUNT|Too little received|Insufficient WETH9/

/**
 * Asks in one round trip what a swap needs. A sell is run there behind its allowance, as the two would stand in a block. A wallet that is short
 * of what goes in gets a plan with stated gas, so that the caller can say how much is missing.
 */
export async function planSwap(
  deps: DraftDeps,
  order: SwapOrder,
  swap: Swap,
): Promise<{ readonly ok: true; readonly plan: SwapPlan } | Refusal> {
  const { wallet: sender, quote } = order
  const { call, spending } = swap
  const asset = spending?.token ?? 'native'
  const [facts, tried] = await Promise.all([
    gatherFacts(deps, { sender, asset: { asset } }, call, {
      gasMax: SWAP_GAS_MAX,
      more: spending === null ? [] : [allowanceView(spending.token, sender, spending.spender)],
    }),
    spending === null ? undefined : trySell(deps, order, swap, spending),
  ])
  const gas =
    spending === null || tried === undefined || facts.balances.asset < quote.amountIn
      ? await gasAsEstimated(order, swap, facts)
      : await gasAsTried(deps, order, swap, spending, tried, facts)
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

type Tried = Awaited<ReturnType<typeof trySell>>

function trySell(
  { transport }: DraftDeps,
  { wallet, quote }: SwapOrder,
  { call }: Swap,
  { token, spender }: Spending,
) {
  const approve = approveCall(token, spender, quote.amountIn)
  return transport.read(triedRead(wallet, [approve, call], SWAP_GAS_MAX))
}

async function gasAsTried(
  deps: DraftDeps,
  order: SwapOrder,
  swap: Swap,
  { token, pool }: Spending,
  tried: Tried,
  facts: Gathered,
): Promise<Gas | Refusal> {
  if (tried === 'unknown') return await gasAsEstimated(order, swap, facts)
  const { wallet, quote } = order
  const isShort = (facts.more[0] ?? 0n) < quote.amountIn
  const [approved, behind] = tried
  let swapped = behind
  if (approved?.succeeded !== true) {
    if (isShort) return { ok: false, refusal: 'no_market' }
    // There is enough already, and the token lets nobody say so again.
    const alone = await deps.transport.read(triedRead(wallet, [swap.call], SWAP_GAS_MAX))
    if (alone === 'unknown') return await gasAsEstimated(order, swap, facts)
    swapped = alone[0]
  }
  if (swapped?.succeeded !== true) return await refusalFor(swap, swapped?.reason ?? '')
  // The sell counts by the transfer that its block shows: one of a token that logs another amount would pass for none.
  const isShown = swapped.transfers.some(
    ({ asset, from, to, amount }) =>
      asset === token && from === wallet && to === pool && amount === quote.amountIn,
  )
  if (!isShown) return { ok: false, refusal: 'no_market' }
  return {
    swap: limitForUsed(swapped.gasUsed, true),
    allowance: isShort ? limitForUsed(approved?.gasUsed ?? APPROVE_GAS, false) : null,
  }
}

/** What a node without a trial of several calls can say. */
async function gasAsEstimated(
  { quote: { amountIn } }: SwapOrder,
  swap: Swap,
  { estimate, balances, more: [allowed = 0n] }: Gathered,
): Promise<Gas | Refusal> {
  const { call, spending } = swap
  if ('gas' in estimate) return { swap: swapGasLimit(estimate.gas, call.data), allowance: null }
  const isShort = spending !== null && allowed < amountIn
  const stated = { swap: SWAP_GAS, allowance: isShort ? APPROVE_GAS : null }
  if (balances.asset < amountIn) return stated
  if (isShort) return (await swap.isPriceGone()) ? { ok: false, refusal: 'price_moved' } : stated
  if (estimate.problem === 'reverted') return await refusalFor(swap, estimate.reason)
  throw new NodeFailure('the node calls a balance short that it also calls enough')
}

async function refusalFor(swap: Swap, reason: string): Promise<Refusal> {
  // The deadline was reckoned from a block before a leap of the chain's time.
  if (TIME_LEAPT.test(reason)) throw new NodeFailure('the time of the chain has leapt')
  const isPrice = PRICE_GONE.test(reason) || (await swap.isPriceGone())
  return { ok: false, refusal: isPrice ? 'price_moved' : 'no_market' }
}
