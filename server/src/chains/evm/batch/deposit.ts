import type { BaseUnits } from '@florin/wire/amount.ts'
import type {
  DepositAuthorizations,
  Permit2Authorization,
  TokenAuthorization,
} from '@florin/wire/x402/batch-payload.ts'
import { textOf } from '@florin/wire/x402/fields.ts'
import { parseAllowancePermit } from '@florin/wire/x402/permit2-payload.ts'
import type { Address, TransactionHash } from '../../chain.ts'
import type { BatchCheck, BatchDemand, BatchOrder, BatchRefused } from '../../batch.ts'
import { parseAddress, requireAddress } from '../account.ts'
import { authorizationKey, authorizationStateView } from '../eip3009.ts'
import type { Authorization } from '../eip3009.ts'
import { addressWord, domainSeparator, typedDataDigest, typeHash, uintWord } from '../eip712.ts'
import { wouldSucceed } from '../exact-wallet.ts'
import { hexBytes } from '../hex.ts'
import { keccak256 } from '../keccak.ts'
import { balanceView } from '../multicall.ts'
import type { Asked } from '../multicall.ts'
import {
  allowanceView,
  evenV,
  PERMISSIONS_TYPE,
  permissionsHash,
  permit2Key,
  permit2Separator,
} from '../permit2.ts'
import { permitProblem, tokenPermitOf } from '../permit2-read.ts'
import type { Call } from '../transfer.ts'
import { isWrapped } from '../wallet-signature.ts'
import { readChannel } from './channel-state.ts'
import { ceilingProblem, isVoucherSigned } from './check-channel.ts'
import type { SignedVoucher } from './check-channel.ts'
import { MARGIN_SECONDS, no, NO_ESCROW } from './deps.ts'
import type { BatchDeps } from './deps.ts'
import { depositElsewhere } from './elsewhere.ts'
import { depositNonce, ERC3009_COLLECTOR, idText, PERMIT2_COLLECTOR } from './escrow.ts'
import type { Channel } from './escrow.ts'
import { depositCall, erc3009Data, permit2Data } from './escrow-calls.ts'
import { depositedBy } from './escrow-results.ts'

/** A deposit with a listed token, which takes some 140,000; three times as much where new state is dear, or where the payer is code (decision 0113). */
const GAS_MAX = 800_000n

const RECEIVE_HASH = typeHash(
  'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)
const WITNESS_TYPE = 'DepositWitness(bytes32 channelId)'
const PERMIT_HASH = typeHash(
  `PermitWitnessTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,DepositWitness witness)${WITNESS_TYPE}${PERMISSIONS_TYPE}`,
)
const WITNESS_HASH = typeHash(WITNESS_TYPE)

/** What a way of depositing has of its own. */
interface Way {
  /** What makes it one and the same, unique within the network. */
  readonly key: string
  /** The first second in which it is good, and the last. */
  readonly fromSeconds: bigint
  readonly untilSeconds: bigint
  readonly early: BatchRefused['reason']
  readonly late: BatchRefused['reason']
  readonly forged: BatchRefused['reason']
  readonly signature: Uint8Array
  /** What brings the escrow the money. */
  readonly collector: Address
  digest(): Uint8Array
  call(signature: Uint8Array): Call
  /** Asked with the channel, and what the answer says against it. */
  readonly asked: Asked
  problem(answer: bigint | undefined, nowSeconds: bigint): BatchRefused | undefined
  /** By which authorization the token's own log shows it. Left out: nothing on chain names it. */
  readonly authorization?: Authorization
}

export interface DepositGiven {
  readonly channel: Channel
  readonly voucher: SignedVoucher
  readonly amount: BaseUnits
  readonly authorizations: DepositAuthorizations
}

/** A deposit of a payload, its channel found to be for this seller. */
export function readDeposit(
  deps: BatchDeps,
  given: DepositGiven,
  demand: BatchDemand,
): BatchOrder | BatchRefused {
  const read = wayOf(deps, given, demand)
  return 'ok' in read ? read : orderOf(deps, given, demand, read)
}

/** As the seller asks for it, else as it is. Source: @x402/evm 2.27, resolveDepositTransferMethod. */
function wayOf(
  deps: Pick<BatchDeps, 'chainId'>,
  given: DepositGiven,
  demand: BatchDemand,
): Way | BatchRefused {
  const { eip3009, permit2 } = given.authorizations
  const asked = textOf(demand.requirements.extra['assetTransferMethod'])
  if ((asked ?? (permit2 && 'permit2')) === 'permit2') {
    return permit2 === undefined
      ? no('invalid_batch_settlement_evm_payload_type')
      : byPermit2(deps, given, permit2, demand)
  }
  return eip3009 === undefined
    ? no('invalid_batch_settlement_evm_erc3009_authorization_required')
    : byToken(deps, given, eip3009, demand)
}

function orderOf(
  deps: BatchDeps,
  given: DepositGiven,
  { asset }: BatchDemand,
  way: Way,
): BatchOrder | BatchRefused {
  // An account that is yet to be made answers for nothing here.
  if (isWrapped(way.signature)) {
    return no('invalid_batch_settlement_evm_eip6492_factory_not_allowed')
  }
  const { channel, voucher, amount } = given
  const { authorization } = way
  const isKeySigned = () => deps.recovered.isSigned(channel.payer, way.signature, way.digest)
  const callOf = () => way.call(isKeySigned() ? evenV(way.signature) : way.signature)

  /** All but the run of its call. */
  async function judge(): Promise<BatchCheck> {
    const [isSigned, isVouched, read] = await Promise.all([
      isKeySigned() || deps.code.hasCodeNow(channel.payer),
      isVoucherSigned(deps, channel, given.voucher),
      readChannel(deps.transport, channel, [balanceView(channel.payer, channel.token), way.asked]),
    ])
    if (read === undefined) return NO_ESCROW
    const { nowSeconds, beside, channel: state } = read
    // Where blocks are late, the clock says what is over before the next one comes.
    const clockSeconds = BigInt(Math.floor(deps.clock.nowMilliseconds() / 1000))
    const latest = clockSeconds > nowSeconds ? clockSeconds : nowSeconds
    if (way.untilSeconds < latest + MARGIN_SECONDS) return no(way.late)
    if (way.fromSeconds > nowSeconds) return no(way.early)
    if (!isSigned) return no(way.forged)
    const [balance = 0n, answer] = beside
    const problem = way.problem(answer, nowSeconds)
    // What a run would show comes last, as in the reference.
    const isOfRun = problem?.reason === 'invalid_batch_settlement_evm_deposit_simulation_failed'
    if (problem !== undefined && !isOfRun) return problem
    if (!isVouched) return no('invalid_batch_settlement_evm_voucher_signature')
    if (balance < amount) return no('invalid_batch_settlement_evm_insufficient_balance')
    const ceiling = ceilingProblem(given.voucher, state, state.balance + amount, false)
    if (ceiling !== undefined) return ceiling
    return problem ?? { ok: true, channel: state }
  }

  /** Where what brings the money is not there, that is why. */
  const wouldFail = async () =>
    no(
      'invalid_batch_settlement_evm_deposit_simulation_failed',
      await deps.contracts.lackOf(way.collector),
    )

  return {
    operation: 'deposit',
    payer: channel.payer,
    receivers: [channel.receiver],
    asset,
    channelIds: [idText(channel)],
    deposited: amount,
    // With the voucher that was found good: whoever joins with another one has shown nothing.
    content: `${idText(channel)} ${amount} ${voucher.maxClaimableAmount} ${hexBytes(voucher.signature)}`,
    check: async () => {
      const judged = await judge()
      if (!judged.ok || (await wouldSucceed(deps.transport, callOf(), GAS_MAX))) return judged
      return wouldFail()
    },
    key: async () => ({ ok: true, key: `deposit:${way.key}` }),
    prepare: async (settler) => {
      const judged = await judge()
      if (!judged.ok) return judged
      const call = callOf()
      // Of one length it runs the same code, but for a payer that has its own.
      const likely = isKeySigned()
        ? `${way.collector} ${channel.token} ${call.data.length}`
        : undefined
      const draft = await deps.draft(call, settler, GAS_MAX, likely)
      return draft === undefined ? wouldFail() : { ok: true, draft }
    },
    result: (hash: TransactionHash) => depositedBy(deps, channel, amount, hash),
    ...(authorization === undefined
      ? {}
      : { elsewhere: (height: bigint) => depositElsewhere(deps, channel, authorization, height) }),
  }
}

function byToken(
  deps: Pick<BatchDeps, 'chainId'>,
  { channel, amount }: DepositGiven,
  authorization: TokenAuthorization,
  { asset, requirements: { extra } }: BatchDemand,
): Way | BatchRefused {
  const { validAfterSeconds, validBeforeSeconds } = authorization
  const salt = bytesOf(authorization.salt)
  const { name, version } = extra
  if (typeof name !== 'string' || typeof version !== 'string' || name === '' || version === '') {
    return no('invalid_batch_settlement_evm_missing_eip712_domain')
  }
  const nonce = depositNonce(channel.id, salt)
  const signature = bytesOf(authorization.signature)
  const { payer: from, token } = channel
  // Under another domain than the token's own nothing was signed for it.
  const isTokens = name === asset.domain?.name && version === asset.domain.version
  const separator = domainSeparator({
    ...{ name, version, chainId: deps.chainId, verifyingContract: token },
  })
  const view = authorizationStateView({ token, from, nonce }, 0n)
  return {
    key: authorizationKey({ token, from }, hexBytes(nonce)),
    fromSeconds: validAfterSeconds,
    untilSeconds: validBeforeSeconds,
    early: 'invalid_batch_settlement_evm_payload_authorization_valid_after',
    late: 'invalid_batch_settlement_evm_payload_authorization_valid_before',
    forged: 'invalid_batch_settlement_evm_receive_authorization_signature',
    signature,
    collector: ERC3009_COLLECTOR,
    digest: () =>
      typedDataDigest(
        separator,
        keccak256(
          Buffer.concat([
            ...[RECEIVE_HASH, addressWord(from), addressWord(ERC3009_COLLECTOR)],
            ...[amount, validAfterSeconds, validBeforeSeconds].map(uintWord),
            nonce,
          ]),
        ),
      ),
    call: (signed) =>
      depositCall(
        channel,
        amount,
        ERC3009_COLLECTOR,
        erc3009Data({ validAfterSeconds, validBeforeSeconds, salt, signature: signed }),
      ),
    asked: view,
    authorization: {
      ...{ token, from, to: ERC3009_COLLECTOR, value: amount, nonce, signature },
      ...{ validAfterSeconds, validBeforeSeconds },
    },
    problem: (used) =>
      used === 0n && isTokens
        ? undefined
        : no('invalid_batch_settlement_evm_deposit_simulation_failed'),
  }
}

function byPermit2(
  deps: Pick<BatchDeps, 'chainId'>,
  { channel, amount }: DepositGiven,
  authorization: Permit2Authorization,
  { extensions }: BatchDemand,
): Way | BatchRefused {
  const { permitted, nonce, deadlineSeconds } = authorization
  const [from, spender, token] = [
    authorization.from,
    authorization.spender,
    authorization.token,
  ].map(requireAddress)
  if (from !== channel.payer) return no('invalid_batch_settlement_evm_permit2_invalid_signature')
  if (spender !== PERMIT2_COLLECTOR) {
    return no('invalid_batch_settlement_evm_permit2_invalid_spender')
  }
  if (token !== channel.token) return no('invalid_batch_settlement_evm_token_mismatch')
  if (permitted !== amount) return no('invalid_batch_settlement_evm_permit2_amount_mismatch')
  if (authorization.channelId !== idText(channel)) {
    return no('invalid_batch_settlement_evm_channel_id_mismatch')
  }
  const owner: Address = channel.payer
  const said = parseAllowancePermit(extensions, parseAddress)
  const fault = said && permitProblem(said, { from: owner, token })
  if (fault !== undefined) return no(fault)
  const permit = said === undefined || said === 'malformed' ? undefined : tokenPermitOf(said)
  // The collector takes it for the whole deposit only.
  if (permit !== undefined && permit.value !== amount) {
    return no('invalid_batch_settlement_evm_eip2612_amount_mismatch')
  }
  const signature = bytesOf(authorization.signature)
  const witness = keccak256(Buffer.concat([WITNESS_HASH, channel.id]))
  return {
    key: permit2Key({ from: owner, nonce }),
    fromSeconds: 0n,
    untilSeconds: deadlineSeconds,
    early: 'invalid_batch_settlement_evm_permit2_deadline_expired',
    late: 'invalid_batch_settlement_evm_permit2_deadline_expired',
    forged: 'invalid_batch_settlement_evm_permit2_invalid_signature',
    signature,
    collector: PERMIT2_COLLECTOR,
    digest: () =>
      typedDataDigest(
        permit2Separator(deps.chainId),
        keccak256(
          Buffer.concat([
            ...[PERMIT_HASH, permissionsHash(token, permitted), addressWord(PERMIT2_COLLECTOR)],
            ...[uintWord(nonce), uintWord(deadlineSeconds), witness],
          ]),
        ),
      ),
    call: (signed) =>
      depositCall(
        channel,
        amount,
        PERMIT2_COLLECTOR,
        permit2Data({ nonce, deadlineSeconds, signature: signed, permit }),
      ),
    asked: allowanceView({ token: channel.token, from: owner }),
    problem: (allowance = 0n, nowSeconds) => {
      // Whether it stands is for the simulation to say: the collector goes on without one that does not.
      if (permit !== undefined) {
        return permit.deadlineSeconds < nowSeconds + MARGIN_SECONDS
          ? no('eip2612_deadline_expired')
          : undefined
      }
      return allowance < amount
        ? no('invalid_batch_settlement_evm_permit2_allowance_required')
        : undefined
    },
  }
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text.slice(2), 'hex')
}
