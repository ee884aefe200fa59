import { baseUnits } from '@florin/wire/amount.ts'
import type { FeeEstimate } from '../chain.ts'
import type { DraftDeps } from './draft.ts'
import { latestBlockRead, offeredTip, suggestedTipRead } from './fees.ts'
import { plainGas } from './gas.ts'
import { dataFeeView, readViews } from './multicall.ts'
import { COMMITMENT_BYTES, COMMITMENT_TAG } from './transfer.ts'

/** Call data of a native payment: the tag, and a commitment without a zero byte. */
const CALL_DATA = Buffer.concat([COMMITMENT_TAG, Buffer.alloc(COMMITMENT_BYTES, 0xff)])
/** Bytes of a signed transaction around it, as of a payment of ours. */
const ENVELOPE_BYTES = 116

/** At the base fee of the newest block and the tip that a payment of now would offer. One round trip. */
export async function estimateFees({ transport, config }: DraftDeps): Promise<FeeEstimate> {
  const [{ baseFeePerGas }, suggested, [dataFee = 0n]] = await Promise.all([
    transport.read(latestBlockRead),
    transport.read(suggestedTipRead),
    transport.read(readViews([dataFeeView(ENVELOPE_BYTES + CALL_DATA.length)])),
  ])
  const gas = plainGas(CALL_DATA)
  const priorityFee = baseUnits(gas * offeredTip(suggested, config.fees))
  return { transfer: baseUnits(gas * baseFeePerGas + priorityFee + dataFee), priorityFee }
}
