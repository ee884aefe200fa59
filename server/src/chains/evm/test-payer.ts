import { privateKeyToAccount } from 'viem/accounts'
import { randomBytes } from 'node:crypto'
import type { BaseUnits } from '@florin/wire/amount.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { AssetProfile } from '../../kernel/network-config.ts'
import type { Address } from '../chain.ts'
import { parseAddress } from './account.ts'

/** A wallet outside of the service that signs EIP-3009 authorizations with another library. */
export interface TestPayer {
  readonly address: Address
  /** The payload of `exact`: valid for five minutes from the chain's time unless said otherwise. */
  authorize(order: AuthorizeOrder): Promise<Fields>
  /** The signature that cancels an authorization of this nonce. */
  cancel(asset: AssetProfile, nonce: `0x${string}`): Promise<`0x${string}`>
}

export interface AuthorizeOrder {
  readonly asset: AssetProfile
  readonly to: Address
  readonly amount: BaseUnits | bigint
  /** The account that pays, where that is not the signer's own. */
  readonly from?: Address
  readonly chainId?: number
  readonly validAfter?: bigint
  readonly validBefore?: bigint
  readonly nonce?: `0x${string}`
  readonly domain?: { readonly name: string; readonly version: string }
}

const TYPES = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

export function testPayer(): TestPayer {
  const account = privateKeyToAccount(hex(randomBytes(32)))
  const address = parseAddress(account.address)
  if (address === undefined) throw new Error('no address')
  return {
    address,
    cancel: ({ asset, domain = {} }, nonce) =>
      account.signTypedData({
        domain: { ...domain, chainId: 84_532, verifyingContract: hexText(asset) },
        types: TYPES,
        primaryType: 'CancelAuthorization',
        message: { authorizer: account.address, nonce },
      }),
    authorize: async (order) => {
      const { asset, to, amount } = order
      const domain = order.domain ?? asset.domain
      if (domain === undefined) throw new Error('the asset has no domain')
      const message = {
        from: order.from === undefined ? account.address : hexText(order.from),
        to: hexText(to),
        value: amount,
        validAfter: order.validAfter ?? 0n,
        validBefore: order.validBefore ?? BigInt(Math.floor(Date.now() / 1000) + 300),
        nonce: order.nonce ?? hex(randomBytes(32)),
      }
      const signature = await account.signTypedData({
        domain: {
          ...domain,
          chainId: order.chainId ?? 84_532,
          verifyingContract: hexText(asset.asset),
        },
        types: TYPES,
        primaryType: 'TransferWithAuthorization',
        message,
      })
      const { value, validAfter, validBefore } = message
      return {
        signature,
        authorization: {
          ...message,
          value: `${value}`,
          validAfter: `${validAfter}`,
          validBefore: `${validBefore}`,
        },
      }
    },
  }
}

function hex(bytes: Uint8Array): `0x${string}` {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function hexText(text: string): `0x${string}` {
  return `0x${text.slice(2)}`
}
