import { baseUnits } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { NodeFailure } from '../../chain.ts'
import type { Address, Draft, Terms } from '../../chain.ts'
import type { AllowanceDraft, SwapDraftOutcome, SwapOrder } from '../../venue.ts'
import type { DraftDeps } from '../draft.ts'
import { firstFees } from '../fees.ts'
import type { Gathered } from '../gather.ts'
import { estimateRead, gatherFacts } from '../gather.ts'
import { writeTerms } from '../terms.ts'
import type { Call } from '../transfer.ts'
import { allowanceView, approveCall } from './allowance.ts'
import { APPROVE_GAS, SWAP_GAS, SWAP_GAS_MAX, limitForUsed, swapGasLimit } from './swap-gas.ts'
import { triedRead } from './try-swap.ts'
import type { TriedCall } from './try-swap.ts'

/** What a sell lets its router take, and where that goes. */
interface Spending {
  readonly token: Address
  readonly spender: Address
  readonly pool: Address
}

/** What a buy must bring where its router does not see to it. */
interface Arrival {
  readonly asset: Address
  readonly to: Address
  readonly minimum: bigint
}

/** A swap as its router takes it. */
export interface Swap {
  readonly call: Call
  /** How many pools are on its way. */
  readonly pools: bigint
  /** Sell: what the router must be allowed to take; null for a buy. */
  readonly spending: Spending | null
  /** What a trial of it must show; null for a sell, and where the chain itself refuses. */
  readonly arrival: Arrival | null
  /** Whether its pools would give less than the minimum now, at that block or a later one: nodes do not always say why a call fails. */
  isPriceGone(height: bigint): Promise<boolean>
}

/** A swap that can be signed, and the allowance that must come before it. */
export interface SwapPlan {
  readonly terms: Terms
  readonly feeCeiling: BaseUnits
  readonly priorityFee: BaseUnits
  readonly balances: Draft['balances']
  readonly laneLatest: bigint
  readonly allowance: AllowanceDraft | null
}

type Refusal = Extract<SwapDraftOutcome, { ok: false }>
/** Gas limits; the allowance's is null for a buy, and for a token that keeps an older one of exactly the amount. */
type Gas = { readonly swap: bigint; readonly allowance: bigint | null }

/** What routers say after the deadline, and when less than the minimum would come out. */
const TIME_LEAPT = /\bEXPIRED\b|Transaction too old/
const PRICE_GONE = /INSUFFICIENT_OUTPUT_AMOUNT|Too little received|Insufficient WETH9/

/**
 * Asks in one round trip what a swap needs. A sell is run there behind its allowance, as the two would stand in a block. That allowance is
 * its own, also where one is left from before: another sell may be about to use that up. A wallet that is short
 * of what goes in gets a plan with stated gas, so that the caller can say how much is missing.
 */
export async function planSwap(
  deps: DraftDeps,
  order: SwapOrder,
  swap: Swap,
): Promise<{ readonly ok: true; readonly plan: SwapPlan } | Refusal> {
  const { wallet: sender, quote } = order
  const { call, spending, arrival } = swap
  const asset = spending?.token ?? 'native'
  const trial = [...(spending === null ? [] : [approvalOf(order, spending)]), call]
  const [facts, tried] = await Promise.all([
    gatherFacts(deps, { sender, asset: { asset } }, call, {
      gasMax: SWAP_GAS_MAX,
      more: spending === null ? [] : [allowanceView(spending.token, sender, spending.spender)],
    }),
    spending === null && arrival === null ? undefined : tryCalls(deps, order, trial),
  ])
  // A wallet that is short fails every trial.
  const known = tried === 'unknown' || facts.balances.asset < quote.amountIn ? undefined : tried
  const gas =
    known !== undefined && spending !== null
      ? await gasAsTried(deps, order, swap, spending, known, facts)
      : await gasAsEstimated(deps, order, swap, facts)
  if ('refusal' in gas) return gas
  if (known !== undefined && arrival !== null) {
    const [bought] = known
    if (bought?.succeeded !== true) return await refusalFor(swap, bought?.reason ?? '', facts)
    if (!hasArrived(bought, arrival)) return { ok: false, refusal: 'no_market' }
  }
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
      : draftOf(approvalOf(order, spending), gas.allowance)
  const { balances, laneLatest } = facts
  const priorityFee = baseUnits(total * fees.maxPriorityFeePerGas)
  const swapDraft = { ...draftOf(call, gas.swap), priorityFee }
  return { ok: true, plan: { ...swapDraft, balances, laneLatest, allowance } }
}

type Tried = readonly TriedCall[]

function approvalOf({ quote }: SwapOrder, { token, spender }: Spending): Call {
  return approveCall(token, spender, quote.amountIn)
}

function tryCalls(
  { transport }: DraftDeps,
  { wallet }: SwapOrder,
  calls: readonly Call[],
): Promise<Tried | 'unknown'> {
  return transport.read(triedRead(wallet, calls, SWAP_GAS_MAX))
}

function hasArrived({ transfers }: TriedCall, { asset, to, minimum }: Arrival): boolean {
  const came = transfers.filter(
    (each) => each.asset === asset && each.to === to && each.from !== to,
  )
  return came.reduce((sum, { amount }) => sum + amount, 0n) >= minimum
}

async function gasAsTried(
  deps: DraftDeps,
  order: SwapOrder,
  swap: Swap,
  spending: Spending,
  [approved, behind]: Tried,
  facts: Gathered,
): Promise<Gas | Refusal> {
  const { wallet, quote } = order
  const { token, pool } = spending
  const isApproved = approved?.succeeded === true
  let swapped = behind
  if (!isApproved) {
    const refusal = refusalWithout(quote.amountIn, facts)
    if (refusal !== undefined) return refusal
    const alone = await tryCalls(deps, order, [swap.call])
    if (alone === 'unknown') return await gasAsEstimated(deps, order, swap, facts)
    swapped = alone[0]
  }
  if (swapped?.succeeded !== true) return await refusalFor(swap, swapped?.reason ?? '', facts)
  // The sell counts by the transfer that its block shows: one of a token that logs another amount would pass for none.
  const isShown = swapped.transfers.some(
    ({ asset, from, to, amount }) =>
      asset === token && from === wallet && to === pool && amount === quote.amountIn,
  )
  if (!isShown) return { ok: false, refusal: 'no_market' }
  return {
    swap: limitForUsed(swapped.gasUsed, swap.pools),
    allowance: isApproved ? allowanceGas(approved.gasUsed) : null,
  }
}

/** What was tried over an allowance that is left costs more once that one is used up. */
function allowanceGas(used: bigint): bigint {
  const limit = limitForUsed(used, 0n)
  return limit > APPROVE_GAS ? limit : APPROVE_GAS
}

/**
 * What stands against a sell whose token takes no allowance now; undefined when the one that is left is of exactly the amount, as after a sale
 * that reverted, or of which a pool took a part. Any other would leave a rest, or is for another sell.
 */
function refusalWithout(amountIn: bigint, { more: [allowed = 0n] }: Gathered): Refusal | undefined {
  if (allowed === amountIn) return undefined
  if (allowed === 0n) return { ok: false, refusal: 'no_market' }
  return { ok: false, refusal: 'allowance_left', left: allowed }
}

/** What a node without a trial of several calls can say. */
async function gasAsEstimated(
  deps: DraftDeps,
  order: SwapOrder,
  swap: Swap,
  facts: Gathered,
): Promise<Gas | Refusal> {
  const {
    estimate,
    balances,
    more: [allowed = 0n],
  } = facts
  const { wallet, quote } = order
  const { call, spending } = swap
  const isShort = spending !== null && allowed < quote.amountIn
  let allowance = spending === null ? null : APPROVE_GAS
  if (spending !== null && allowed > 0n && balances.asset >= quote.amountIn) {
    const approval = await deps.transport.read(
      estimateRead(wallet, approvalOf(order, spending), SWAP_GAS_MAX),
    )
    if ('problem' in approval && approval.problem === 'reverted') {
      const refusal = refusalWithout(quote.amountIn, facts)
      if (refusal !== undefined) return refusal
      allowance = null
    }
  }
  if ('gas' in estimate)
    return { swap: swapGasLimit(estimate.gas, call.data, swap.pools), allowance }
  const stated = { swap: SWAP_GAS * swap.pools, allowance }
  if (balances.asset < quote.amountIn) return stated
  if (isShort) {
    const isGone = await swap.isPriceGone(balances.height)
    return isGone ? { ok: false, refusal: 'price_moved' } : stated
  }
  if (estimate.problem === 'reverted') return await refusalFor(swap, estimate.reason, facts)
  throw new NodeFailure('the node calls a balance short that it also calls enough')
}

async function refusalFor(
  swap: Swap,
  reason: string,
  { balances: { height } }: Pick<Gathered, 'balances'>,
): Promise<Refusal> {
  // The deadline was reckoned from a block before a leap of the chain's time.
  if (TIME_LEAPT.test(reason)) throw new NodeFailure('the time of the chain has leapt')
  const saysLess = PRICE_GONE.test(reason)
  if (saysLess && swap.pools === 1n) return { ok: false, refusal: 'price_moved' }
  if (await swap.isPriceGone(height)) return { ok: false, refusal: 'price_moved' }
  // A token that keeps a part of what moves, as a hub may: another way need not lead through it.
  return { ok: false, refusal: saysLess ? 'less_than_quoted' : 'no_market' }
}
