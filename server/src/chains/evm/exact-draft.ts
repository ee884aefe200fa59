import { baseUnits } from '@florin/wire/amount.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import type { ExactPayments, SettlementDraft } from '../exact.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { quantityFrom } from './answer.ts'
import type { Checked } from './exact-check.ts'
import { DEPLOYMENT_GAS_MAX, WALLET_GAS_MAX, walletCall, wouldSucceed } from './exact-wallet.ts'
import { estimateProblemOf } from './failures.ts'
import type { EstimateProblem } from './failures.ts'
import { firstFees } from './fees.ts'
import { gasLimit } from './gas.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import type { ReadSettlerFacts } from './settler-facts.ts'
import type { SettlementRuns } from './settlement-runs.ts'
import { writeTerms } from './terms.ts'
import type { Call } from './transfer.ts'

/** Bytes of a signed transaction around its call data, generously. */
const ENVELOPE_BYTES = 200
/** A listed token moves money for less, also for a new holder where new state is dear; more means that its code does something else. Decision 0113. */
const SETTLEMENT_GAS_MAX = 500_000n

/** What a settlement of a token was found to take is believed this long, */
const LEARNED_MILLISECONDS = 10 * 60_000
/**
 * and up to this much: one that takes more counts for itself alone. A listed token takes some 70,000 for a new holder. Where new state is dear
 * (EIP-8037) any settlement takes more than this, and has to: in a call of many, state is paid for from what the others left, so that a run in it would
 * say yes to a limit that is too low for the transaction.
 */
const LEARNED_GAS_MAX = 150_000n

type Estimate =
  { readonly gas: bigint; readonly wasRun?: true } | { readonly problem: EstimateProblem }

/** What settling takes of each listed token, or of what is named otherwise: the most that was estimated lately. As many entries as there are tokens, or names. */
export type LearnedGas = Map<string, { readonly gas: bigint; readonly atMilliseconds: number }>

/** Where it is remembered. */
export interface Learning {
  readonly clock: Pick<Clock, 'nowMilliseconds'>
  readonly learned: LearnedGas
}

/** A draft, or that the call would fail; the caller then asks why. */
export type DraftAttempt =
  | {
      readonly ok: true
      readonly draft: SettlementDraft
      /** What it takes as far as the node can say. */
      readonly gas: bigint
      /** The call itself was run, in one request with all of this. An estimate is asked later, perhaps of another node. */
      readonly wasRun: boolean
      /** Unix time of the newest block. */
      readonly nowSeconds: bigint
      /** Remembers what it takes. Only for a payment that is found good: whoever is refused teaches nobody. */
      learn(): void
    }
  | { readonly ok: false }

/**
 * Everything that settling from this address needs, in one round trip; the call is run alone. A second one where the token is new, and where
 * the call does not fit what the token took so far.
 */
export async function draftSettlement(
  deps: Learning & {
    readonly transport: Transport
    readonly settlerFacts: ReadSettlerFacts
    readonly settlementRuns: SettlementRuns
    readonly config: NetworkConfig
    readonly chainId: bigint
  },
  call: Call,
  settler: Address,
  /** It runs code of the payer's, or moves money by Permit2: it may take so much and no more, teaches nothing and shares nothing. */
  ownGasMax?: bigint,
  /** With that: what such calls take. It is run within as much first, and estimated where that fails. */
  likelyGas?: bigint,
): Promise<DraftAttempt> {
  const { transport, config, chainId } = deps
  const [facts, estimate] = await Promise.all([
    deps.settlerFacts(settler, ENVELOPE_BYTES + call.data.length),
    ownGasMax === undefined
      ? simulate(deps, settler, call)
      : runOrEstimate(transport, settler, call, { gasMax: ownGasMax, likelyGas }),
  ])
  if ('problem' in estimate) {
    // Asked without fees and value, so a shortage here is the node's own arithmetic.
    if (estimate.problem === 'short') throw new NodeFailure('an estimate without fees came short')
    return { ok: false }
  }
  if (estimate.gas > (ownGasMax ?? SETTLEMENT_GAS_MAX)) return { ok: false }
  const gas = gasLimit(estimate.gas, call.data)
  const fees = firstFees(facts, gas, config.fees)
  const { ceilingMultiple } = config.fees
  const dataFeeMax = baseUnits(facts.dataFee * ceilingMultiple)
  const price = facts.baseFeePerGas + fees.maxPriorityFeePerGas
  return {
    ok: true,
    gas: estimate.gas,
    wasRun: estimate.wasRun === true,
    nowSeconds: facts.nowSeconds,
    learn: () => {
      if (ownGasMax === undefined) learn(deps, call.to, estimate.gas)
    },
    draft: {
      terms: writeTerms({ chainId, sender: settler, call, gas, fees, dataFeeMax }),
      feeCeiling: baseUnits(gas * fees.maxFeePerGas * ceilingMultiple + dataFeeMax),
      feeExpected: baseUnits(estimate.gas * price + facts.dataFee),
      laneLatest: facts.laneLatest,
      settlerBalance: facts.balance,
      ...(ownGasMax === undefined ? {} : { isAlone: true }),
    },
  }
}

/** The same for a payer with code, or one that gets it by this very call. The code was asked a moment ago. */
export async function draftForWallet(
  deps: Parameters<typeof draftSettlement>[0],
  { authorization }: Checked,
  by: 'wallet' | 'deployment',
  settler: Address,
): ReturnType<ExactPayments['draft']> {
  const isMade = by === 'deployment'
  const call = walletCall(authorization, isMade ? authorization.deployment : undefined)
  const gasMax = isMade ? DEPLOYMENT_GAS_MAX : WALLET_GAS_MAX
  const attempt = await draftSettlement(deps, call, settler, gasMax)
  return attempt.ok
    ? { ok: true, draft: { ...attempt.draft, runsPayerCode: true } }
    : { ok: false, reason: 'invalid_exact_evm_transaction_simulation_failed', isDisputed: true }
}

/**
 * Runs the call within the gas that the token's settlements were found to take: a node answers that eight times as quickly as a new
 * estimate, for which it runs the call again and again (64 of them: 8 ms instead of 60).
 */
async function simulate(
  {
    transport,
    clock,
    learned,
    settlementRuns,
  }: Learning & { readonly transport: Transport; readonly settlementRuns: SettlementRuns },
  settler: Address,
  call: Call,
): Promise<Estimate> {
  const gas = learnedGas({ clock, learned }, call.to)
  if (gas !== undefined && (await settlementRuns.runs(settler, call, gasLimit(gas, call.data)))) {
    return { gas, wasRun: true }
  }
  return transport.read(estimateRead(settler, call))
}

/** The same for a call that shares with nobody: 50 vouchers are run in 7 ms and estimated in 90. Run without the margin that it is sent with, which stays for what changes until its block. */
async function runOrEstimate(
  transport: Transport,
  settler: Address,
  call: Call,
  { gasMax, likelyGas }: { readonly gasMax: bigint; readonly likelyGas: bigint | undefined },
): Promise<Estimate> {
  if (likelyGas !== undefined && likelyGas <= gasMax) {
    const runs = await wouldSucceed(transport, call, likelyGas, settler)
    if (runs) return { gas: likelyGas, wasRun: true }
  }
  return transport.read(estimateRead(settler, call, gasMax))
}

/** What settling takes of a token, if a payment in it was found good lately. */
export function learnedGas({ clock, learned }: Learning, of: string): bigint | undefined {
  const known = learned.get(of)
  const age = known === undefined ? -1 : clock.nowMilliseconds() - known.atMilliseconds
  return age >= 0 && age < LEARNED_MILLISECONDS ? known?.gas : undefined
}

/** Remembers what was found for one that is good: whoever is refused teaches nobody. */
export function learn({ clock, learned }: Learning, of: string, gas: bigint): void {
  if (gas > LEARNED_GAS_MAX || (learnedGas({ clock, learned }, of) ?? 0n) >= gas) return
  learned.set(of, { gas, atMilliseconds: clock.nowMilliseconds() })
}

/** Without fee fields, so that only the call itself can make it fail. */
function estimateRead(settler: Address, { to, data }: Call, gasMax?: bigint): Read<Estimate> {
  const most = gasMax === undefined ? {} : { gas: hexQuantity(gasMax) }
  return {
    method: 'eth_estimateGas',
    params: [{ from: settler, to, data: hexBytes(data), ...most }, 'latest'],
    parse: (result) => ({ gas: quantityFrom(result, 'gas estimate') }),
    meaning: (error) => {
      const problem = estimateProblemOf(error)
      return problem === undefined ? undefined : { problem }
    },
  }
}
