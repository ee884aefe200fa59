import {
  BaseError,
  createPublicClient,
  decodeErrorResult,
  encodeAbiParameters,
  encodeFunctionData,
  erc20Abi,
  http,
  isHex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  parseSignature,
  RpcRequestError,
} from 'viem'
import type {
  Address,
  ContractFunctionArgs,
  ContractFunctionName,
  Hex,
  PrivateKeyAccount,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { claimBatchTypes, refundTypes, voucherTypes } from '@x402/evm'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { stockWallet } from '../../../e2e/actors/stock-facilitator.ts'
import {
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  EVM_CHAIN_ID,
  PERMIT2_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
  USDC_ADDRESS,
} from './chain-facts.ts'

export const ESCROW_ABI = parseAbi([
  'struct ChannelConfig { address payer; address payerAuthorizer; address receiver; address receiverAuthorizer; address token; uint40 withdrawDelay; bytes32 salt; }',
  'struct Voucher { ChannelConfig channel; uint128 maxClaimableAmount; }',
  'struct VoucherClaim { Voucher voucher; bytes signature; uint128 totalClaimed; }',
  'function deposit(ChannelConfig config, uint128 amount, address collector, bytes collectorData)',
  'function claim(VoucherClaim[] voucherClaims)',
  'function claimWithSignature(VoucherClaim[] voucherClaims, bytes authorizerSignature)',
  'function settle(address receiver, address token)',
  'function initiateWithdraw(ChannelConfig config, uint128 amount)',
  'function finalizeWithdraw(ChannelConfig config)',
  'function refund(ChannelConfig config, uint128 amount)',
  'function refundWithSignature(ChannelConfig config, uint128 amount, uint256 nonce, bytes receiverAuthorizerSignature)',
  'function getChannelId(ChannelConfig config) view returns (bytes32)',
  'function getVoucherDigest(bytes32 channelId, uint128 maxClaimableAmount) view returns (bytes32)',
  'function channels(bytes32 channelId) view returns (uint128 balance, uint128 totalClaimed)',
  'function pendingWithdrawals(bytes32 channelId) view returns (uint128 amount, uint40 initiatedAt)',
  'function receivers(address receiver, address token) view returns (uint128 totalClaimed, uint128 totalSettled)',
  'function refundNonce(bytes32 channelId) view returns (uint256)',
  'event Claimed(bytes32 indexed channelId, address indexed sender, uint128 claimAmount, uint128 newTotalClaimed)',
  'event Refunded(bytes32 indexed channelId, address indexed sender, uint128 amount)',
  'error ClaimExceedsBalance()',
  'error ClaimExceedsCeiling()',
  'error DepositCollectionFailed()',
  'error EmptyBatch()',
  'error Error(string words)',
  'error InvalidChannel()',
  'error InvalidCollector()',
  'error InvalidContractSignature()',
  'error InvalidNonce()',
  'error InvalidRefundNonce()',
  'error InvalidSignature()',
  'error InvalidSigner()',
  'error NotAuthorizedToClaim()',
  'error NotAuthorizedToFinalizeWithdraw()',
  'error NotAuthorizedToRefund()',
  'error NotReceiverAuthorizer()',
  'error NothingToWithdraw()',
  'error Permit2612AmountMismatch()',
  'error WithdrawAmountExceedsAvailable()',
  'error WithdrawDelayNotElapsed()',
  'error WithdrawDelayOutOfRange()',
  'error WithdrawalAlreadyPending()',
  'error WithdrawalNotPending()',
  'error ZeroDeposit()',
  'error ZeroRefund()',
])

const DOMAIN = {
  name: 'x402 Batch Settlement',
  version: '1',
  chainId: EVM_CHAIN_ID,
  verifyingContract: BATCH_SETTLEMENT_ADDRESS,
} as const

export type ChannelConfig = ContractFunctionArgs<typeof ESCROW_ABI, 'nonpayable', 'deposit'>[0]
export type VoucherClaim = ContractFunctionArgs<typeof ESCROW_ABI, 'nonpayable', 'claim'>[0][number]

/** Reads the escrow and calls it as whom one likes. */
export function openEscrow(sandbox: SandboxHandle) {
  const reader = createPublicClient({ transport: http(sandbox.rpcUrl), cacheTime: 0 })
  const at = { address: BATCH_SETTLEMENT_ADDRESS, abi: ESCROW_ABI } as const
  return {
    idOf: async (config: ChannelConfig): Promise<Hex> =>
      await reader.readContract({ ...at, functionName: 'getChannelId', args: [config] }),
    channel: async (id: Hex): Promise<readonly [balance: bigint, totalClaimed: bigint]> =>
      await reader.readContract({ ...at, functionName: 'channels', args: [id] }),
    withdrawal: async (id: Hex) =>
      await reader.readContract({ ...at, functionName: 'pendingWithdrawals', args: [id] }),
    refundNonce: async (id: Hex): Promise<bigint> =>
      await reader.readContract({ ...at, functionName: 'refundNonce', args: [id] }),
    balanceOf: async (owner: Address, token: Address = USDC_ADDRESS): Promise<bigint> =>
      await reader.readContract({
        ...{ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [owner] },
      }),
    /** What it holds of a token, and what by its own books it ought to: all balances less what went to receivers. */
    async books(
      ids: readonly Hex[],
      receivers: readonly Address[],
      token: Address = USDC_ADDRESS,
    ): Promise<{ readonly held: bigint; readonly owed: bigint }> {
      let owed = 0n
      for (const id of ids) {
        owed += (await reader.readContract({ ...at, functionName: 'channels', args: [id] }))[0]
      }
      for (const receiver of receivers) {
        const args = [receiver, token] as const
        owed -= (await reader.readContract({ ...at, functionName: 'receivers', args }))[1]
      }
      return { held: await this.balanceOf(BATCH_SETTLEMENT_ADDRESS, token), owed }
    },
    /** Tries and sends; gives `success`, the name of the error, or the words of the token. */
    async send(account: PrivateKeyAccount, data: Hex): Promise<string> {
      const wallet = stockWallet(sandbox, account)
      const call = { to: BATCH_SETTLEMENT_ADDRESS, data } as const
      try {
        await reader.call({ account, ...call })
      } catch (error) {
        return nameOf(error)
      }
      const hash = await wallet.sendTransaction(call)
      return (await wallet.waitForTransactionReceipt({ hash })).status
    },
  }
}
export type Escrow = ReturnType<typeof openEscrow>

/** What the chain said of a call that failed, by its name; of a plain revert, its words. */
function nameOf(error: unknown): string {
  const told =
    error instanceof BaseError ? error.walk((cause) => cause instanceof RpcRequestError) : null
  if (!(told instanceof RpcRequestError) || !isHex(told.data)) throw error
  const { data } = told
  const { errorName, args } = decodeErrorResult({ abi: ESCROW_ABI, data })
  return errorName === 'Error' ? args[0] : errorName
}

/** So late that no authorization of a test ends. */
const FAR = 2n ** 40n

/** What the collector by EIP-3009 is told of an authorization for that channel. */
export async function authorized(
  payer: PrivateKeyAccount,
  channelId: Hex,
  amount: bigint,
): Promise<Hex> {
  const salt = BigInt(generatePrivateKey())
  const nonce = keccak256(
    encodeAbiParameters([{ type: 'bytes32' }, { type: 'uint256' }], [channelId, salt]),
  )
  const signature = await payer.signTypedData({
    domain: { name: 'USDC', version: '2', chainId: EVM_CHAIN_ID, verifyingContract: USDC_ADDRESS },
    types: {
      ReceiveWithAuthorization: [
        { name: 'from', type: 'address' },
        { name: 'to', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'validAfter', type: 'uint256' },
        { name: 'validBefore', type: 'uint256' },
        { name: 'nonce', type: 'bytes32' },
      ],
    },
    primaryType: 'ReceiveWithAuthorization',
    message: {
      ...{ from: payer.address, to: ERC3009_COLLECTOR_ADDRESS, value: amount },
      ...{ validAfter: 0n, validBefore: FAR, nonce },
    },
  })
  return encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }],
    [0n, FAR, salt, signature],
  )
}

/** What the collector by Permit2 is told of a permit for that channel, and with it of one by EIP-2612 for Permit2. */
export async function permitted(
  payer: PrivateKeyAccount,
  channelId: Hex,
  amount: bigint,
  approval: Hex = '0x',
): Promise<Hex> {
  const nonce = BigInt(generatePrivateKey())
  const signature = await payer.signTypedData({
    domain: { name: 'Permit2', chainId: EVM_CHAIN_ID, verifyingContract: PERMIT2_ADDRESS },
    types: {
      PermitWitnessTransferFrom: [
        { name: 'permitted', type: 'TokenPermissions' },
        { name: 'spender', type: 'address' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
        { name: 'witness', type: 'DepositWitness' },
      ],
      TokenPermissions: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint256' },
      ],
      DepositWitness: [{ name: 'channelId', type: 'bytes32' }],
    },
    primaryType: 'PermitWitnessTransferFrom',
    message: {
      permitted: { token: USDC_ADDRESS, amount },
      ...{ spender: PERMIT2_COLLECTOR_ADDRESS, nonce, deadline: FAR, witness: { channelId } },
    },
  })
  return encodeAbiParameters(
    [{ type: 'uint256' }, { type: 'uint256' }, { type: 'bytes' }, { type: 'bytes' }],
    [nonce, FAR, signature, approval],
  )
}

/** The first permit of an owner by EIP-2612, for Permit2, as its collector takes it. */
export async function approved(owner: PrivateKeyAccount, value: bigint): Promise<Hex> {
  const signature = await owner.signTypedData({
    domain: { name: 'USDC', version: '2', chainId: EVM_CHAIN_ID, verifyingContract: USDC_ADDRESS },
    types: {
      Permit: [
        { name: 'owner', type: 'address' },
        { name: 'spender', type: 'address' },
        { name: 'value', type: 'uint256' },
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint256' },
      ],
    },
    primaryType: 'Permit',
    message: { owner: owner.address, spender: PERMIT2_ADDRESS, value, nonce: 0n, deadline: FAR },
  })
  const { r, s, yParity } = parseSignature(signature)
  return encodeAbiParameters(parseAbiParameters('uint256, uint256, uint8, bytes32, bytes32'), [
    value,
    FAR,
    27 + yParity,
    r,
    s,
  ])
}

type ArgumentsOf<Name extends ContractFunctionName<typeof ESCROW_ABI, 'nonpayable'>> =
  ContractFunctionArgs<typeof ESCROW_ABI, 'nonpayable', Name>
const abi = ESCROW_ABI

/** Calldata of the escrow's functions. */
export const callOf = {
  deposit: (...args: ArgumentsOf<'deposit'>) =>
    encodeFunctionData({ abi, functionName: 'deposit', args }),
  claim: (...args: ArgumentsOf<'claim'>) =>
    encodeFunctionData({ abi, functionName: 'claim', args }),
  claimWithSignature: (...args: ArgumentsOf<'claimWithSignature'>) =>
    encodeFunctionData({ abi, functionName: 'claimWithSignature', args }),
  settle: (...args: ArgumentsOf<'settle'>) =>
    encodeFunctionData({ abi, functionName: 'settle', args }),
  initiateWithdraw: (...args: ArgumentsOf<'initiateWithdraw'>) =>
    encodeFunctionData({ abi, functionName: 'initiateWithdraw', args }),
  finalizeWithdraw: (...args: ArgumentsOf<'finalizeWithdraw'>) =>
    encodeFunctionData({ abi, functionName: 'finalizeWithdraw', args }),
  refund: (...args: ArgumentsOf<'refund'>) =>
    encodeFunctionData({ abi, functionName: 'refund', args }),
  refundWithSignature: (...args: ArgumentsOf<'refundWithSignature'>) =>
    encodeFunctionData({ abi, functionName: 'refundWithSignature', args }),
} as const

/** A channel between new parties, from the payer's own voucher key. */
export function aConfig(payer: Address, change: Partial<ChannelConfig> = {}): ChannelConfig {
  const other = privateKeyToAccount(generatePrivateKey()).address
  return {
    ...{ payer, payerAuthorizer: payer, receiver: other, receiverAuthorizer: other },
    ...{ token: USDC_ADDRESS, withdrawDelay: 900, salt: generatePrivateKey() },
    ...change,
  }
}

/** A row of a batch; `signer` signs the ceiling, which is the total unless it is said. */
export async function aClaim(
  channelId: Hex,
  channel: ChannelConfig,
  signer: PrivateKeyAccount,
  totalClaimed: bigint,
  maxClaimableAmount = totalClaimed,
): Promise<VoucherClaim> {
  const signature = await signer.signTypedData({
    ...{ domain: DOMAIN, types: voucherTypes, primaryType: 'Voucher' },
    message: { channelId, maxClaimableAmount },
  })
  return { voucher: { channel, maxClaimableAmount }, signature, totalClaimed }
}

/** What the authorizer signs for whoever hands a batch in. */
export async function signBatch(
  signer: PrivateKeyAccount,
  rows: readonly { readonly id: Hex; readonly claim: VoucherClaim }[],
): Promise<Hex> {
  return await signer.signTypedData({
    ...{ domain: DOMAIN, types: claimBatchTypes, primaryType: 'ClaimBatch' },
    message: {
      claims: rows.map(({ id, claim: { voucher, totalClaimed } }) => ({
        ...{ channelId: id, maxClaimableAmount: voucher.maxClaimableAmount, totalClaimed },
      })),
    },
  })
}

/** What the authorizer signs for whoever hands a refund in. */
export async function signRefund(
  signer: PrivateKeyAccount,
  channelId: Hex,
  nonce: bigint,
  amount: bigint,
): Promise<Hex> {
  return await signer.signTypedData({
    ...{ domain: DOMAIN, types: refundTypes, primaryType: 'Refund' },
    message: { channelId, nonce, amount },
  })
}
