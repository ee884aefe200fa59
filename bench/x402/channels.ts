import { randomBytes } from 'node:crypto'
import { createPublicClient, getAddress, http, parseAbi } from 'viem'
import { addressFromBytes, requireAddress } from '@florin/server/chains/evm/account.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import {
  depositNonce,
  ERC3009_COLLECTOR,
  ESCROW,
  idText,
  openEscrowDigests,
} from '@florin/server/chains/evm/batch/escrow.ts'
import type { Channel, Row } from '@florin/server/chains/evm/batch/escrow.ts'
import {
  addressWord,
  domainSeparator,
  typedDataDigest,
  typeHash,
  uintWord,
} from '@florin/server/chains/evm/eip712.ts'
import { hexBytes } from '@florin/server/chains/evm/hex.ts'
import { keccak256 } from '@florin/server/chains/evm/keccak.ts'
import { addressOfPrivateKey, signDigest } from '@florin/server/chains/evm/secp256k1.ts'
import type { SandboxHandle } from '../../e2e/actors/sandbox.ts'

/** Base units of USDC that each deposit brings. */
export const DEPOSIT = 10_000n
const NETWORK = 'eip155:84532'
const CHAIN_ID = 84_532n
const DOMAIN = { name: 'USDC', version: '2' } as const
const RECEIVE = typeHash(
  'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
)
const RECEIVERS = parseAbi([
  'function receivers(address receiver, address token) view returns (uint128 totalClaimed, uint128 totalSettled)',
])
const WITHDRAW_DELAY_SECONDS = 900n
const VALID_SECONDS = 3_600
const WORD_BYTES = 32
const SIGNATURE_RS_BYTES = 64
const V_OF_PARITY_0 = 27
const FUNDS = '1000'

/** A payer's channel to the seller of a scene. */
export interface OpenedChannel {
  readonly channel: Channel
  readonly key: Uint8Array
}

/** One seller and payers with USDC and nothing else, who sign as fast as this machine can. Bodies are what a seller's server hands to a facilitator, JSON. */
export interface ChannelScene {
  /** A new channel and what deposits into it. */
  deposit(): OpenedChannel & { readonly body: string }
  voucher(of: OpenedChannel, ceiling: bigint): string
  /** Claims so much in all of each, in one call. */
  claim(of: readonly OpenedChannel[], total: bigint): string
  /** What was claimed for the seller so far, base units. */
  claimed(): Promise<bigint>
}

export async function openChannels(
  sandbox: SandboxHandle,
  payerCount: number,
): Promise<ChannelScene> {
  const token = requireAddress(sandbox.usdc)
  const receiver = addressFromBytes(randomBytes(20))
  const authorizer = randomBytes(WORD_BYTES)
  const receiverAuthorizer = addressOfPrivateKey(authorizer)
  const keys = Array.from({ length: payerCount }, () => randomBytes(WORD_BYTES))
  await Promise.all(keys.map((key) => sandbox.fund(addressOfPrivateKey(key), 'USDC', FUNDS)))
  const digests = openEscrowDigests(CHAIN_ID)
  const separator = domainSeparator({ ...DOMAIN, chainId: CHAIN_ID, verifyingContract: token })
  const reader = createPublicClient({ transport: http(sandbox.rpcUrl), cacheTime: 0 })
  let opened = 0

  const open = (): OpenedChannel => {
    const key = keys[(opened += 1) % keys.length] ?? randomBytes(WORD_BYTES)
    const payer = addressOfPrivateKey(key)
    const channel = digests.channelOf({
      ...{ payer, payerAuthorizer: payer, receiver, receiverAuthorizer, token },
      ...{ withdrawDelaySeconds: WITHDRAW_DELAY_SECONDS, salt: hexBytes(randomBytes(WORD_BYTES)) },
    })
    return { channel, key }
  }
  const vouched = ({ channel, key }: OpenedChannel, ceiling: bigint) => ({
    channelId: idText(channel),
    maxClaimableAmount: `${ceiling}`,
    signature: hexBytes(signed(digests.voucher(channel.id, ceiling), key)),
  })
  const routeTerms = {
    ...termsOf(token, receiver),
    ...{ amount: '1000', maxTimeoutSeconds: VALID_SECONDS },
    extra: { receiverAuthorizer, withdrawDelay: Number(WITHDRAW_DELAY_SECONDS), ...DOMAIN },
  }
  // As the stock server's channel manager has them.
  const managerTerms = {
    ...termsOf(token, receiver),
    ...{ amount: '0', maxTimeoutSeconds: 0, extra: {} },
  }

  return {
    deposit: () => {
      const of = open()
      const { channel, key } = of
      const salt = randomBytes(WORD_BYTES)
      const validBefore = BigInt(Math.floor(Date.now() / 1000) + VALID_SECONDS)
      const struct = Buffer.concat([
        ...[RECEIVE, addressWord(channel.payer), addressWord(ERC3009_COLLECTOR)],
        ...[DEPOSIT, 0n, validBefore].map(uintWord),
        depositNonce(channel.id, salt),
      ])
      const signature = signed(typedDataDigest(separator, keccak256(struct)), key)
      const authorization = { validAfter: '0', validBefore: `${validBefore}`, salt: hexBytes(salt) }
      const payload = {
        ...{ type: 'deposit', channelConfig: written(channel), voucher: vouched(of, 1_000n) },
        deposit: {
          amount: `${DEPOSIT}`,
          authorization: {
            erc3009Authorization: { ...authorization, signature: hexBytes(signature) },
          },
        },
      }
      return { ...of, body: bodyOf(payload, routeTerms) }
    },
    voucher: (of, ceiling) =>
      bodyOf(
        {
          ...{ type: 'voucher', channelConfig: written(of.channel) },
          voucher: vouched(of, ceiling),
        },
        routeTerms,
      ),
    claim: (of, total) => {
      const rows: readonly Row[] = of.map(({ channel }) => ({
        ...{ channel, maxClaimableAmount: total, totalClaimed: total },
        signature: new Uint8Array(),
      }))
      const claims = of.map((each) => ({
        voucher: { channel: written(each.channel), maxClaimableAmount: `${total}` },
        ...{ signature: vouched(each, total).signature, totalClaimed: `${total}` },
      }))
      const claimAuthorizerSignature = hexBytes(signed(digests.claims(rows), authorizer))
      return bodyOf({ type: 'claim', claims, claimAuthorizerSignature }, managerTerms)
    },
    claimed: async () => {
      const args = [getAddress(receiver), getAddress(token)] as const
      const of = { address: getAddress(ESCROW), abi: RECEIVERS, functionName: 'receivers' } as const
      const [totalClaimed] = await reader.readContract({ ...of, args })
      return totalClaimed
    },
  }
}

function termsOf(asset: Address, payTo: Address) {
  return { scheme: 'batch-settlement', network: NETWORK, asset, payTo }
}

/** As payloads write it. */
function written(channel: Channel) {
  const { payer, payerAuthorizer, receiver, receiverAuthorizer, token } = channel
  const withdrawDelay = Number(channel.withdrawDelaySeconds)
  const parties = { payer, payerAuthorizer, receiver, receiverAuthorizer, token }
  return { ...parties, withdrawDelay, salt: hexBytes(channel.salt) }
}

function signed(digest: Uint8Array, key: Uint8Array): Uint8Array {
  const signature = signDigest(digest, key)
  signature[SIGNATURE_RS_BYTES] = (signature[SIGNATURE_RS_BYTES] ?? 0) + V_OF_PARITY_0
  return signature
}

function bodyOf(payload: object, paymentRequirements: object): string {
  return JSON.stringify({
    x402Version: 2,
    paymentPayload: { x402Version: 2, accepted: paymentRequirements, payload },
    paymentRequirements,
  })
}
