import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { Address } from '../chain.ts'
import type { SettlementDraft } from '../exact.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { quantityFrom } from './answer.ts'
import { nonceRead } from './blocks.ts'
import { settlingCall } from './eip3009.ts'
import type { Authorization } from './eip3009.ts'
import { estimateProblemOf } from './failures.ts'
import type { EstimateProblem } from './failures.ts'
import { firstFees, latestBlockRead, suggestedTipRead } from './fees.ts'
import { gasLimit } from './gas.ts'
import { hexBytes } from './hex.ts'
import { balanceView, dataFeeView, readViews } from './multicall.ts'
import { writeTerms } from './terms.ts'
import type { Call } from './transfer.ts'

/** Bytes of a signed transaction around its call data, generously. */
const ENVELOPE_BYTES = 200
/** A listed token moves money for far less; more means that its code does something else. */
const SETTLEMENT_GAS_MAX = 300_000n

type Estimate = { readonly gas: bigint } | { readonly problem: EstimateProblem }

/** A draft, or that the call would fail; the caller then asks why. */
export type DraftAttempt =
  { readonly ok: true; readonly draft: SettlementDraft } | { readonly ok: false }

/** Everything that settling from this address needs, in one round trip; the estimate runs the call alone. */
export async function draftSettlement(
  deps: { transport: Transport; config: NetworkConfig; chainId: bigint },
  authorization: Authorization,
  settler: Address,
): Promise<DraftAttempt> {
  const { transport, config, chainId } = deps
  const call = settlingCall(authorization)
  const [[balance = 0n, dataFee = 0n], laneLatest, latest, tip, estimate] = await Promise.all([
    transport.read(
      readViews([balanceView(settler, 'native'), dataFeeView(ENVELOPE_BYTES + call.data.length)]),
    ),
    transport.read(nonceRead(settler, 'latest')),
    transport.read(latestBlockRead),
    transport.read(suggestedTipRead),
    transport.read(estimateRead(settler, call)),
  ])
  if ('problem' in estimate) {
    // Asked without fees and value, so a shortage here is the node's own arithmetic.
    if (estimate.problem === 'short') throw new NodeFailure('an estimate without fees came short')
    return { ok: false }
  }
  if (estimate.gas > SETTLEMENT_GAS_MAX) return { ok: false }
  const gas = gasLimit(estimate.gas, call.data)
  const fees = firstFees(
    { baseFeePerGas: latest.baseFeePerGas, suggestedTipPerGas: tip },
    gas,
    config.fees,
  )
  const { ceilingMultiple } = config.fees
  const dataFeeMax = baseUnits(dataFee * ceilingMultiple)
  const price = latest.baseFeePerGas + fees.maxPriorityFeePerGas
  return {
    ok: true,
    draft: {
      terms: writeTerms({ chainId, sender: settler, call, gas, fees, dataFeeMax }),
      feeCeiling: baseUnits(gas * fees.maxFeePerGas * ceilingMultiple + dataFeeMax),
      feeExpected: baseUnits(estimate.gas * price + dataFee),
      laneLatest,
      settlerBalance: balance,
    },
  }
}

/** Without fee fields, so that only the call itself can make it fail. */
function estimateRead(settler: Address, { to, data }: Call): Read<Estimate> {
  return {
    method: 'eth_estimateGas',
    params: [{ from: settler, to, data: hexBytes(data) }, 'latest'],
    parse: (result) => ({ gas: quantityFrom(result, 'gas estimate') }),
    meaning: (error) => {
      const problem = estimateProblemOf(error)
      return problem === undefined ? undefined : { problem }
    },
  }
}
