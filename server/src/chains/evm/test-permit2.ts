import { randomBytes } from 'node:crypto'
import type { Fields } from '@florin/wire/x402/fields.ts'
import {
  permit2WitnessTypes,
  PERMIT2_ADDRESS,
  uptoPermit2WitnessTypes,
  x402ExactPermit2ProxyAddress,
  x402UptoPermit2ProxyAddress,
} from '@x402/evm'
import { createPublicClient, createWalletClient, erc20Abi, getAddress, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import type { Address } from '../chain.ts'
import { requireAddress } from './account.ts'

/** What is signed for Permit2; whatever is left out is what an honest buyer says. */
export interface Permit2Order {
  readonly token: string
  readonly to: string
  readonly amount: bigint
  readonly scheme?: 'exact' | 'upto'
  readonly from?: string
  readonly facilitator?: string
  readonly spender?: string
  readonly nonce?: bigint
  readonly deadline?: bigint
  readonly validAfter?: bigint
  readonly chainId?: number
}

/** A wallet outside of the service that pays by Permit2, with another library's signatures. */
export interface Permit2Payer {
  readonly address: Address
  readonly account: ReturnType<typeof privateKeyToAccount>
  authorize(order: Permit2Order): Promise<Fields>
  /** The extension with a permit for Permit2, of the token's own nonce unless said otherwise. */
  permit(order: PermitOrder): Promise<Fields>
  /** Approves Permit2 on the chain, for so much. */
  approve(rpcUrl: string, token: string, amount?: bigint): Promise<void>
}

export interface PermitOrder {
  readonly token: string
  readonly amount: bigint
  readonly nonce?: bigint
  readonly deadline?: bigint
  readonly change?: Readonly<Record<string, unknown>>
}

/** Source: EIP-2612. */
const PERMIT_TYPES = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const
const CHAIN_ID = 84_532
const MOST = 2n ** 256n - 1n

export const inMinutes = (minutes: number): bigint =>
  BigInt(Math.floor(Date.now() / 1_000) + minutes * 60)

export function permit2Payer(): Permit2Payer {
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
  return {
    account,
    address: requireAddress(account.address),
    authorize: async (order) => {
      const { scheme = 'exact', chainId = CHAIN_ID, deadline = inMinutes(5) } = order
      const { validAfter = 0n, nonce = BigInt(`0x${randomBytes(32).toString('hex')}`) } = order
      const isUpto = scheme === 'upto'
      const proxy = isUpto ? x402UptoPermit2ProxyAddress : x402ExactPermit2ProxyAddress
      const spender = getAddress(order.spender ?? proxy)
      const permitted = { token: getAddress(order.token), amount: order.amount }
      const witness = { to: getAddress(order.to), validAfter }
      const named = { ...witness, facilitator: getAddress(order.facilitator ?? order.to) }
      const domain = { name: 'Permit2', chainId, verifyingContract: PERMIT2_ADDRESS } as const
      const shared = { permitted, spender, nonce, deadline }
      const primaryType = 'PermitWitnessTransferFrom' as const
      const signature = isUpto
        ? await account.signTypedData({
            ...{ domain, primaryType, types: uptoPermit2WitnessTypes },
            message: { ...shared, witness: named },
          })
        : await account.signTypedData({
            ...{ domain, primaryType, types: permit2WitnessTypes },
            message: { ...shared, witness },
          })
      const written = { ...(isUpto ? named : witness), validAfter: `${validAfter}` }
      return {
        signature,
        permit2Authorization: {
          permitted: { ...permitted, amount: `${order.amount}` },
          from: order.from ?? account.address,
          spender,
          nonce: `${nonce}`,
          deadline: `${deadline}`,
          witness: written,
        },
      }
    },
    permit: async ({ token, amount, nonce = 0n, deadline = inMinutes(5), change = {} }) => {
      const signature = await account.signTypedData({
        domain: {
          ...{ name: 'USDC', version: '2', chainId: CHAIN_ID },
          verifyingContract: getAddress(token),
        },
        types: PERMIT_TYPES,
        primaryType: 'Permit',
        message: {
          ...{ owner: account.address, spender: PERMIT2_ADDRESS },
          ...{ value: amount, nonce, deadline },
        },
      })
      const info = {
        ...{ from: account.address, asset: getAddress(token), spender: PERMIT2_ADDRESS },
        ...{ amount: `${amount}`, nonce: `${nonce}`, deadline: `${deadline}` },
        ...{ signature, version: '1' },
        ...change,
      }
      return { eip2612GasSponsoring: { info } }
    },
    approve: async (rpcUrl, token, amount = MOST) => {
      const wallet = createWalletClient({ account, chain: baseSepolia, transport: http(rpcUrl) })
      const hash = await wallet.writeContract({
        ...{ address: getAddress(token), abi: erc20Abi, functionName: 'approve' },
        args: [PERMIT2_ADDRESS, amount],
      })
      const reader = createPublicClient({ transport: http(rpcUrl), pollingInterval: 50 })
      await reader.waitForTransactionReceipt({ hash })
    },
  }
}
