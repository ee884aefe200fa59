import type { Address, Draft } from '../chain.ts'
import type { Read } from '../json-rpc/transport.ts'
import { quantityFrom } from './answer.ts'
import { nonceRead } from './blocks.ts'
import type { DraftDeps } from './draft.ts'
import { estimateProblemOf } from './failures.ts'
import type { EstimateProblem } from './failures.ts'
import { latestBlockRead, suggestedTipRead } from './fees.ts'
import type { FeeMarket } from './fees.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { balanceView, blockNumberView, dataFeeView, readViews } from './multicall.ts'
import type { View } from './multicall.ts'
import type { Call } from './transfer.ts'

/** Bytes of a signed transaction around its call data, generously. */
const ENVELOPE_BYTES = 200

/** Gas that a call takes, or why a node cannot say; `reason` is the node's own text. */
export type Estimate =
  { readonly gas: bigint } | { readonly problem: EstimateProblem; readonly reason: string }

/** What a node says of a sender and a call of its own. */
export interface Gathered {
  readonly balances: Draft['balances']
  readonly laneLatest: bigint
  readonly dataFee: bigint
  readonly market: FeeMarket
  /** Unix time of the newest block. */
  readonly timeSeconds: bigint
  readonly estimate: Estimate
  /** The further views that were asked for, of the same block as the balances. */
  readonly more: readonly bigint[]
}

/** Asks in one round trip. `gasMax`: a call that would take more counts as one that fails. */
export async function gatherFacts(
  deps: DraftDeps,
  { sender, asset }: { readonly sender: Address; readonly asset: { readonly asset: string } },
  call: Call,
  { more: views = [], gasMax }: { more?: readonly View[]; gasMax?: bigint } = {},
): Promise<Gathered> {
  const { transport, facts, noncesOf = 'latest' } = deps
  const held = balanceView(sender, asset.asset)
  // A token that anybody made may answer nothing at all; one of the configuration never does.
  const isListed = deps.config.assets.some((each) => each.asset === asset.asset)
  const read = readViews([
    blockNumberView,
    balanceView(sender, 'native'),
    isListed ? held : { ...held, absent: 0n },
    dataFeeView(ENVELOPE_BYTES + call.data.length),
    ...views,
  ])
  const [values, laneLatest, latest, tip, estimate] = await Promise.all([
    transport.read(read),
    transport.read(nonceRead(sender, noncesOf)),
    facts?.latest() ?? transport.read(latestBlockRead),
    facts?.suggestedTip() ?? transport.read(suggestedTipRead),
    transport.read(estimateRead(sender, call, gasMax)),
  ])
  const [height = 0n, native = 0n, holding = 0n, dataFee = 0n, ...more] = values
  return {
    laneLatest,
    balances: {
      native,
      asset: holding,
      height,
      blockHash: height === latest.height ? latest.hash : null,
    },
    dataFee,
    market: { baseFeePerGas: latest.baseFeePerGas, suggestedTipPerGas: tip },
    timeSeconds: latest.timeSeconds,
    estimate,
    more,
  }
}

/** Without fee fields, so that only the call itself can make it fail; `latest`, so that our own pool does not. */
export function estimateRead(
  sender: Address,
  { to, value, data }: Call,
  gasMax: bigint | undefined,
): Read<Estimate> {
  const most = gasMax === undefined ? {} : { gas: hexQuantity(gasMax) }
  const call = { from: sender, to, value: hexQuantity(value), data: hexBytes(data), ...most }
  return {
    method: 'eth_estimateGas',
    params: [call, 'latest'],
    parse: (result) => ({ gas: quantityFrom(result, 'gas estimate') }),
    meaning: (error) => {
      const problem = estimateProblemOf(error)
      return problem === undefined ? undefined : { problem, reason: error.message }
    },
  }
}
