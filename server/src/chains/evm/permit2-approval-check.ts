import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import type { Address } from '../chain.ts'
import type { AwaitedApproval, ExactCheck } from '../exact.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { isUnknownMethod } from '../json-rpc/unknown-method.ts'
import { quantityFrom } from './answer.ts'
import { nonceRead } from './blocks.ts'
import { wouldSucceed } from './exact-wallet.ts'
import { estimateProblemOf } from './failures.ts'
import { latestBlockRead, offeredTip, suggestedTipRead } from './fees.ts'
import { hexBytes, hexQuantity } from './hex.ts'
import { balanceView, dataFeeView, readViewsAt } from './multicall.ts'
import { allowanceView, permit2Call } from './permit2.ts'
import type { Permit2Authorization } from './permit2.ts'
import type { PayerApproval } from './permit2-approval.ts'
import type { Call } from './transfer.ts'

/** What a transfer of native currency to a plain key takes. Source: EIP-2. */
const FUNDING_GAS = 21_000n
/** Bytes of a signed transaction around its call data, generously. */
const ENVELOPE_BYTES = 200
/** A roll-up's fee for publishing may rise so many times until the approval is in. */
const DATA_FEE_ROOM = 2n
/** The payer keeps what its approval does not take: one that offers many times what the network asks for is signed for that. */
const FEE_MULTIPLE_MAX = 10n
/** What the payer is given, its approval and the settlement each need a block: a payment that ends before is not begun with. */
const BLOCKS = 3
const APPROVAL_FAILED = 'erc20_approval_tx_failed'
/** As USDT has it; stock clients sign one approval, of all that there is. */
const KEEPS_ITS_ALLOWANCE =
  'The approval would fail. Permit2 has a smaller allowance of this payer, and this token may refuse to change one that is not zero: the payer has to set it to zero first. Nothing was sent.'

export interface ApprovalCheckDeps {
  readonly transport: Pick<Transport, 'read'>
  readonly config: Pick<NetworkConfig, 'fees' | 'blockTimeMilliseconds'>
}

/** `approved`: Permit2 may move enough by now, whoever brought that about. */
export type ApprovalCheck =
  | { readonly kind: 'approved' }
  | { readonly kind: 'awaited'; readonly approval: AwaitedApproval }
  | { readonly kind: 'refused'; readonly refusal: Exclude<ExactCheck, { ok: true }> }

/**
 * Whether a payer's own approval could be mined now and would let the payment settle, and what the payer lacks for it. Everything about the payer
 * is read at one block: an allowance of before the approval and a nonce of after it would look like a payer who used the nonce otherwise. Where a
 * node can (`eth_simulateV1`), approval and settlement are run one after the other; else the approval alone, and views have to do for the rest.
 */
export async function checkApproval(
  { transport, config }: ApprovalCheckDeps,
  authorization: Permit2Authorization,
  approval: PayerApproval,
  gasMax: bigint,
): Promise<ApprovalCheck> {
  const { from, value, deadlineSeconds } = authorization
  const [{ height, baseFeePerGas, timeSeconds }, tip] = await Promise.all([
    transport.read(latestBlockRead),
    transport.read(suggestedTipRead),
  ])
  const at = hexQuantity(height)
  const settling = permit2Call(authorization, { withPermit: false })
  const views = [
    allowanceView(authorization),
    balanceView(from, 'native'),
    dataFeeView(approval.raw.length),
    dataFeeView(ENVELOPE_BYTES),
    dataFeeView(ENVELOPE_BYTES + settling.data.length),
  ]
  const [
    nonce,
    [allowance = 0n, balance = 0n, dataFee = 0n, fundingDataFee = 0n, settlingDataFee = 0n],
  ] = await Promise.all([
    transport.read(nonceRead(from, at)),
    transport.read(readViewsAt(views, at)),
  ])
  if (allowance >= value) return { kind: 'approved' }
  const needSeconds = BigInt(Math.ceil((BLOCKS * config.blockTimeMilliseconds) / 1_000))
  if (deadlineSeconds < timeSeconds + needSeconds) return refused('permit2_deadline_expired')
  const takes = approval.gas * approval.maxFeePerGas + dataFee
  const price = baseFeePerGas + offeredTip(tip, config.fees)
  if (takes > balance && approval.maxFeePerGas > FEE_MULTIPLE_MAX * price) {
    return refused('erc20_approval_tx_fee_too_high')
  }
  if (nonce !== approval.nonce) return refused('erc20_approval_tx_wrong_nonce')
  const run = await runBoth(transport, authorization, approval, { settling, gasMax, at })
  if (run.failed !== null) {
    const isKept = run.failed === APPROVAL_FAILED && allowance > 0n
    return refused(run.failed, isKept ? KEEPS_ITS_ALLOWANCE : undefined)
  }
  return {
    kind: 'awaited',
    approval: {
      ...{ hash: approval.hash, raw: approval.raw, nonce, height },
      isUnderpriced: approval.maxFeePerGas < baseFeePerGas,
      // Given is more than it takes now: else a fee that moves by a little would ask for more.
      lacks: takes > balance ? takes + dataFee * DATA_FEE_ROOM - balance : 0n,
      fundingFee: FUNDING_GAS * price + fundingDataFee,
      settlementFee: run.settlementGas * price + settlingDataFee,
    },
  }
}

interface BothRun {
  readonly failed: Reason | null
  readonly settlementGas: bigint
}

async function runBoth(
  transport: Pick<Transport, 'read'>,
  authorization: Permit2Authorization,
  approval: PayerApproval,
  {
    settling,
    gasMax,
    at,
  }: { readonly settling: Call; readonly gasMax: bigint; readonly at: string },
): Promise<BothRun> {
  const { from, token, facilitator } = authorization
  const approving = { to: token, value: 0n, data: approval.data }
  const calls = [
    { ...approving, from, gas: approval.gas },
    // Anybody may settle `exact`; whoever that is, it is not the payer.
    { ...settling, ...(facilitator === null ? {} : { from: facilitator }), gas: gasMax },
  ]
  const run = await transport.read(simulation(calls, at))
  if (run !== 'unknown') {
    const [approved, settled] = run
    if (approved?.succeeded !== true) return { failed: APPROVAL_FAILED, settlementGas: 0n }
    return settled?.succeeded === true
      ? { failed: null, settlementGas: settled.gasUsed }
      : { failed: 'permit2_simulation_failed', settlementGas: 0n }
  }
  const isTaken = await wouldSucceed(transport, approving, approval.gas, from)
  return { failed: isTaken ? null : APPROVAL_FAILED, settlementGas: gasMax }
}

/** Source: execution-apis, `eth_simulateV1`. */
function simulation(
  calls: readonly (Call & { readonly from?: Address; readonly gas: bigint })[],
  at: string,
): Read<readonly { readonly succeeded: boolean; readonly gasUsed: bigint }[] | 'unknown'> {
  const asked = calls.map(({ from, to, data, gas }) => ({
    ...(from === undefined ? {} : { from }),
    ...{ to, input: hexBytes(data), gas: hexQuantity(gas) },
  }))
  return {
    apart: true,
    method: 'eth_simulateV1',
    params: [{ blockStateCalls: [{ calls: asked }], validation: false }, at],
    parse: (result) => {
      const [block] = listFrom(result, 'simulated blocks')
      return listFrom(fieldsFrom(block, 'simulated block')['calls'], 'simulated calls').map(
        (each) => {
          const fields = fieldsFrom(each, 'simulated call')
          const succeeded = quantityFrom(fields['status'], 'simulated status') === 1n
          return { succeeded, gasUsed: quantityFrom(fields['gasUsed'], 'gas used') }
        },
      )
    },
    // Some nodes refuse the whole when one call cannot even begin: then the calls are asked for one by one.
    meaning: (error) =>
      isUnknownMethod(error) || estimateProblemOf(error) !== undefined ? 'unknown' : undefined,
  }
}

function refused(reason: Reason, message?: string): ApprovalCheck {
  const said = message === undefined ? {} : { message }
  return { kind: 'refused', refusal: { ok: false, reason, ...said } }
}
