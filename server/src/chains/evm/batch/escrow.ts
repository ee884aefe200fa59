import type { ChannelConfig as WireChannel } from '@florin/wire/x402/batch-payload.ts'
import type { Address } from '../../chain.ts'
import { addressFromBytes, requireAddress } from '../account.ts'
import { addressWord, domainSeparator, typedDataDigest, typeHash, uintWord } from '../eip712.ts'
import { hexDigits } from '../hex.ts'
import { keccak256 } from '../keccak.ts'

/** The escrow of `batch-settlement` and what brings it deposits, at the same addresses on every network. Source: @x402/evm 2.27. */
export const ESCROW = contractAt('4020074e9df2ce1dee5a9c1b5c3f541d02a10003')
export const ERC3009_COLLECTOR = contractAt('4020806089470a89826cb9fb1f4059150b550004')
export const PERMIT2_COLLECTOR = contractAt('4020425faf3b746c082c2f942b4e5159887b0005')

/** What a payer may bind itself to wait for. Source: x402 v2, `batch-settlement` on EVM. */
export const WITHDRAW_DELAY_SECONDS = { min: 900n, max: 2_592_000n } as const

const CHANNEL_TYPE =
  'ChannelConfig(address payer,address payerAuthorizer,address receiver,address receiverAuthorizer,address token,uint40 withdrawDelay,bytes32 salt)'
const CHANNEL_HASH = typeHash(CHANNEL_TYPE)
const VOUCHER_HASH = typeHash('Voucher(bytes32 channelId,uint128 maxClaimableAmount)')
const REFUND_HASH = typeHash('Refund(bytes32 channelId,uint256 nonce,uint128 amount)')
const ENTRY_TYPE = 'ClaimEntry(bytes32 channelId,uint128 maxClaimableAmount,uint128 totalClaimed)'
const ENTRY_HASH = typeHash(ENTRY_TYPE)
const BATCH_HASH = typeHash(`ClaimBatch(ClaimEntry[] claims)${ENTRY_TYPE}`)

/** A channel with its addresses in the chain's spelling. */
export interface Channel {
  readonly payer: Address
  readonly payerAuthorizer: Address
  readonly receiver: Address
  readonly receiverAuthorizer: Address
  readonly token: Address
  readonly withdrawDelaySeconds: bigint
  /** 32 bytes. */
  readonly salt: Uint8Array
  /** What it is called: 32 bytes. */
  readonly id: Uint8Array
}

/** A row of a claim. */
export interface Row {
  readonly channel: Channel
  readonly maxClaimableAmount: bigint
  readonly signature: Uint8Array
  readonly totalClaimed: bigint
}

/** Digests of what is signed for the escrow of one chain. */
export interface EscrowDigests {
  channelOf(written: WireChannel): Channel
  voucher(channelId: Uint8Array, maxClaimableAmount: bigint): Uint8Array
  refund(channelId: Uint8Array, nonce: bigint, amount: bigint): Uint8Array
  claims(rows: readonly Row[]): Uint8Array
}

export function openEscrowDigests(chainId: bigint): EscrowDigests {
  const separator = domainSeparator({
    ...{ name: 'x402 Batch Settlement', version: '1', chainId, verifyingContract: ESCROW },
  })
  const digest = (...words: readonly Uint8Array[]) =>
    typedDataDigest(separator, keccak256(Buffer.concat(words)))
  return {
    channelOf: (written) => {
      const parties = {
        payer: requireAddress(written.payer),
        payerAuthorizer: requireAddress(written.payerAuthorizer),
        receiver: requireAddress(written.receiver),
        receiverAuthorizer: requireAddress(written.receiverAuthorizer),
        token: requireAddress(written.token),
        withdrawDelaySeconds: written.withdrawDelaySeconds,
        salt: Buffer.from(written.salt.slice(2), 'hex'),
      }
      return { ...parties, id: digest(CHANNEL_HASH, ...channelWords(parties)) }
    },
    voucher: (channelId, maxClaimableAmount) =>
      digest(VOUCHER_HASH, channelId, uintWord(maxClaimableAmount)),
    refund: (channelId, nonce, amount) =>
      digest(REFUND_HASH, channelId, uintWord(nonce), uintWord(amount)),
    claims: (rows) =>
      digest(
        BATCH_HASH,
        keccak256(
          Buffer.concat(
            rows.map(({ channel, maxClaimableAmount, totalClaimed }) =>
              keccak256(
                Buffer.concat([
                  ...[ENTRY_HASH, channel.id, uintWord(maxClaimableAmount)],
                  uintWord(totalClaimed),
                ]),
              ),
            ),
          ),
        ),
      ),
  }
}

/** Its seven words, as they are hashed and as a call has them. */
export function channelWords(channel: Omit<Channel, 'id'>): readonly Uint8Array[] {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token } = channel
  return [
    ...[payer, payerAuthorizer, receiver, receiverAuthorizer, token].map(addressWord),
    uintWord(channel.withdrawDelaySeconds),
    channel.salt,
  ]
}

/** How a channel is written in answers: 0x and lower-case hex. */
export function idText({ id }: Pick<Channel, 'id'>): string {
  return `0x${hexDigits(id)}`
}

/** The nonce of a deposit by EIP-3009, so that it goes into no other channel. Source: @x402/evm 2.27. */
export function depositNonce(channelId: Uint8Array, salt: Uint8Array): Uint8Array {
  return keccak256(Buffer.concat([channelId, salt]))
}

function contractAt(digits: string): Address {
  return addressFromBytes(Buffer.from(digits, 'hex'))
}
