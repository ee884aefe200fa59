import { computeChannelId } from '@x402/evm/batch-settlement/client'
import { claimBatchTypes, refundTypes, voucherTypes } from '@x402/evm'
import { encodeAbiParameters, getAddress, keccak256, zeroAddress } from 'viem'
import type { Address, Hex, PrivateKeyAccount, TypedData, TypedDataDomain } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import {
  BATCH_SETTLEMENT_ADDRESS,
  ERC3009_COLLECTOR_ADDRESS,
  PERMIT2_ADDRESS,
  PERMIT2_COLLECTOR_ADDRESS,
} from '@florin/sandbox/evm/chain-facts.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { EVM } from './seller.ts'

const CHAIN_ID = 84_532
const DOMAIN = {
  ...{ name: 'x402 Batch Settlement', version: '1', chainId: CHAIN_ID },
  verifyingContract: BATCH_SETTLEMENT_ADDRESS,
} as const
const RECEIVE = {
  ReceiveWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const
const PERMIT = {
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
} as const

/** A channel as payloads write it. */
export interface Config {
  readonly payer: Address
  readonly payerAuthorizer: Address
  readonly receiver: Address
  readonly receiverAuthorizer: Address
  readonly token: Address
  readonly withdrawDelay: number
  readonly salt: Hex
}

/** What differs from a good deposit; what is signed differs with it. */
export interface DepositChange {
  readonly amount?: bigint
  readonly ceiling?: bigint
  readonly voucherBy?: PrivateKeyAccount
  readonly by?: PrivateKeyAccount
  readonly validAfter?: bigint
  readonly validBefore?: bigint
  readonly deadline?: bigint
  readonly permitted?: bigint
  readonly token?: Address
  readonly spender?: Address
  readonly witness?: Hex
  readonly chainId?: number
  readonly domain?: { readonly name: string; readonly version: string }
}

interface Typed {
  readonly domain: TypedDataDomain
  readonly types: TypedData
  readonly primaryType: string
  readonly message: Readonly<Record<string, unknown>>
}

/** Signs what a test wants signed, whether its parts fit or not. */
const sign = async (by: PrivateKeyAccount, typed: Typed): Promise<Hex> =>
  await by.signTypedData<TypedData, string>(typed)

export const aKey = (): PrivateKeyAccount => privateKeyToAccount(generatePrivateKey())
export const inSeconds = (seconds: number): bigint =>
  BigInt(Math.floor(Date.now() / 1_000) + seconds)

/** What parties of one channel sign, and what a seller's server asks for. Keys are its own unless they are given. */
export function openChannel(
  payer: PrivateKeyAccount,
  usdc: string,
  { authorizer = aKey(), ...change }: Partial<Config> & { authorizer?: PrivateKeyAccount } = {},
) {
  const token = getAddress(usdc)
  const config: Config = {
    ...{ payer: payer.address, payerAuthorizer: payer.address, receiver: aKey().address },
    ...{ receiverAuthorizer: authorizer.address, token, withdrawDelay: 900 },
    salt: generatePrivateKey(),
    ...change,
  }
  const id = computeChannelId(config, EVM)

  const voucher = async (
    ceiling: bigint,
    { by = payer, of = id }: { by?: PrivateKeyAccount; of?: Hex } = {},
  ) => {
    const message = { channelId: of, maxClaimableAmount: ceiling }
    const typed = { domain: DOMAIN, types: voucherTypes, primaryType: 'Voucher', message }
    const signature = await sign(by, typed)
    return { channelId: of, maxClaimableAmount: `${ceiling}`, signature }
  }
  const row = async (total: bigint, ceiling = total, by = payer) => {
    const { signature, maxClaimableAmount } = await voucher(ceiling, { by })
    return { voucher: { channel: config, maxClaimableAmount }, signature, totalClaimed: `${total}` }
  }
  type Row = Awaited<ReturnType<typeof row>>
  const signRows = async (rows: readonly Row[], by = authorizer): Promise<Hex> =>
    await sign(by, {
      ...{ domain: DOMAIN, types: claimBatchTypes, primaryType: 'ClaimBatch' },
      message: {
        claims: rows.map(({ voucher: { channel, maxClaimableAmount }, totalClaimed }) => ({
          channelId: computeChannelId(channel, EVM),
          ...{ maxClaimableAmount: BigInt(maxClaimableAmount), totalClaimed: BigInt(totalClaimed) },
        })),
      },
    })
  const claim = async (rows: readonly Row[], by = authorizer): Promise<Fields> => ({
    ...{ type: 'claim', claims: rows, claimAuthorizerSignature: await signRows(rows, by) },
  })

  const byToken = async (amount: bigint, change: DepositChange): Promise<Fields> => {
    const { by = payer, validAfter = 0n, validBefore = inSeconds(3_600), domain } = change
    const salt = generatePrivateKey()
    const pair = [id, BigInt(salt)] as const
    const types = [{ type: 'bytes32' }, { type: 'uint256' }] as const
    const nonce = keccak256(encodeAbiParameters(types, pair))
    const signature = await sign(by, {
      domain: {
        ...(domain ?? { name: 'USDC', version: '2' }),
        ...{ chainId: change.chainId ?? CHAIN_ID, verifyingContract: token },
      },
      ...{ types: RECEIVE, primaryType: 'ReceiveWithAuthorization' },
      message: {
        ...{ from: config.payer, to: change.spender ?? ERC3009_COLLECTOR_ADDRESS, value: amount },
        ...{ validAfter, validBefore, nonce },
      },
    })
    const times = { validAfter: `${validAfter}`, validBefore: `${validBefore}` }
    return { erc3009Authorization: { ...times, salt, signature } }
  }
  const byPermit2 = async (amount: bigint, change: DepositChange): Promise<Fields> => {
    const { by = payer, deadline = inSeconds(3_600), permitted = amount, witness = id } = change
    const { spender = PERMIT2_COLLECTOR_ADDRESS, chainId = CHAIN_ID } = change
    const nonce = BigInt(generatePrivateKey())
    const limits = { token: change.token ?? token, amount: permitted }
    const signature = await sign(by, {
      domain: { name: 'Permit2', chainId, verifyingContract: PERMIT2_ADDRESS },
      ...{ types: PERMIT, primaryType: 'PermitWitnessTransferFrom' },
      message: { permitted: limits, spender, nonce, deadline, witness: { channelId: witness } },
    })
    return {
      permit2Authorization: {
        ...{ from: config.payer, permitted: { ...limits, amount: `${permitted}` }, spender },
        ...{ nonce: `${nonce}`, deadline: `${deadline}`, witness: { channelId: witness } },
        signature,
      },
    }
  }

  return {
    ...{ config, id, payer, authorizer, voucher, row, signRows, claim },
    deposit: async (way: 'eip3009' | 'permit2', change: DepositChange = {}): Promise<Fields> => {
      const { amount = 10_000n, ceiling = 1_000n, voucherBy = payer } = change
      const authorization = await { eip3009: byToken, permit2: byPermit2 }[way](amount, change)
      return {
        ...{ type: 'deposit', channelConfig: config },
        voucher: await voucher(ceiling, { by: voucherBy }),
        deposit: { amount: `${amount}`, authorization },
      }
    },
    /** Of the payer's wish for a refund, and of a voucher alone. */
    shown: async (
      type: 'voucher' | 'refund',
      ceiling: bigint,
      by?: PrivateKeyAccount,
    ): Promise<Fields> => ({
      ...{ type, channelConfig: config },
      voucher: await voucher(ceiling, by === undefined ? {} : { by }),
    }),
    /** As the receiver's server completes it. */
    refund: async (
      amount: bigint,
      nonce: bigint,
      rows: readonly Row[] = [],
      by = authorizer,
    ): Promise<Fields> => ({
      ...{ type: 'refund', channelConfig: config, voucher: await voucher(0n) },
      ...{ amount: `${amount}`, refundNonce: `${nonce}`, claims: rows },
      refundAuthorizerSignature: await sign(by, {
        ...{ domain: DOMAIN, types: refundTypes, primaryType: 'Refund' },
        message: { channelId: id, nonce, amount },
      }),
      ...(rows.length === 0 ? {} : { claimAuthorizerSignature: await signRows(rows, by) }),
    }),
    sweep: (): Fields => ({ type: 'settle', receiver: config.receiver, token }),
    /** What a route asks for. */
    terms: (extra: Fields = {}): Fields => ({
      ...{ scheme: 'batch-settlement', network: EVM, asset: token, amount: '1000' },
      ...{ payTo: config.receiver, maxTimeoutSeconds: 3_600 },
      extra: {
        ...{ receiverAuthorizer: config.receiverAuthorizer, withdrawDelay: config.withdrawDelay },
        ...{ name: 'USDC', version: '2', ...extra },
      },
    }),
    /** With what the stock server's channel manager claims, sweeps and refunds. */
    managerTerms: (): Fields => ({
      ...{ scheme: 'batch-settlement', network: EVM, asset: token, amount: '0' },
      ...{ payTo: config.receiver, maxTimeoutSeconds: 0, extra: {} },
    }),
  }
}
export type BatchChannel = ReturnType<typeof openChannel>
export const NOBODY = zeroAddress

/** What a seller's server hands to the facilitator. */
export function asked(payload: Fields, terms: Fields, accepted: Fields = terms) {
  const paymentPayload = { x402Version: 2, accepted, payload }
  return { x402Version: 2, paymentPayload, paymentRequirements: terms } as const
}
