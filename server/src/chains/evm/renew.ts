import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Terms } from '../chain.ts'
import type { DraftDeps } from './draft.ts'
import { latestBlockRead, raisedFees, suggestedTipRead } from './fees.ts'
import { writeTerms } from './terms.ts'
import type { EvmTerms } from './terms.ts'

/** The same call at fees that replace the earlier attempt, or undefined when ceiling and policy leave no room. */
export async function renewTerms(
  { transport, config }: DraftDeps,
  before: EvmTerms,
  feeCeiling: BaseUnits,
): Promise<Terms | undefined> {
  const [{ baseFeePerGas }, suggestedTipPerGas] = await Promise.all([
    transport.read(latestBlockRead),
    transport.read(suggestedTipRead),
  ])
  const affordable = (feeCeiling - before.dataFeeMax) / before.gas
  const { feePerGasMax } = config.fees
  const fees = raisedFees(
    before.fees,
    { baseFeePerGas, suggestedTipPerGas },
    affordable < feePerGasMax ? affordable : feePerGasMax,
  )
  return fees === undefined ? undefined : writeTerms({ ...before, fees })
}
