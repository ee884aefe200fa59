import { randomBytes } from 'node:crypto'
import { x402Client } from '@x402/core/client'
import { PERMIT2_ADDRESS, toClientEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { createPublicClient, createWalletClient, erc20Abi, getAddress, http } from 'viem'
import type { Hash } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { until } from '@florin/server/kernel/until.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import { EVM, PRICE } from './seller.ts'
import type { SettleBody } from './seller.ts'
import type { World } from './world.ts'

/** A wallet with a stock client of x402 that pays by Permit2. */
export interface Permit2Buyer {
  readonly address: `0x${string}`
  readonly key: `0x${string}`
  /** Signs what a seller asks for, and hands over what the seller's server would. */
  pay(asks?: Asks): Promise<SettleBody>
  /** Approves Permit2 for so much, without an end when left out. */
  approve(amount?: bigint): Promise<void>
  /** Calls a contract with the wallet's own key, and waits until that is mined. */
  call(to: string, data: `0x${string}`): Promise<Hash>
}

export interface Asks {
  readonly scheme?: 'exact' | 'upto'
  readonly amount?: bigint
  readonly payTo?: string
  /** `upto`: who may settle; left out, the one that the service names. */
  readonly facilitator?: string
}

const MOST = 2n ** 256n - 1n

/** With one USDC. `warm` has approved Permit2, for so much; `cold` signs a permit when it is asked to pay. */
export async function aPermit2Buyer(
  world: World,
  kind: 'warm' | 'cold' = 'warm',
  allowance = MOST,
): Promise<Permit2Buyer> {
  const key = `0x${randomBytes(32).toString('hex')}` as const
  const account = privateKeyToAccount(key)
  const { rpcUrl, usdc } = world.sandbox
  await world.sandbox.fund(account.address, 'USDC', '1')
  const transport = http(rpcUrl)
  const reader = createPublicClient({ transport })
  const wallet = createWalletClient({ account, chain: baseSepolia, transport })
  const mined = async (hash: Hash): Promise<Hash> => {
    const isMined = () =>
      reader.getTransactionReceipt({ hash }).then(
        () => true,
        () => false,
      )
    await until('a call is mined', isMined, { seconds: 30 })
    return hash
  }
  const approve = async (amount = MOST): Promise<void> => {
    await mined(
      await wallet.writeContract({
        ...{ address: getAddress(usdc), abi: erc20Abi, functionName: 'approve' },
        args: [PERMIT2_ADDRESS, amount],
      }),
    )
  }
  if (kind === 'warm') {
    await world.sandbox.fund(account.address, 'native', '1')
    await approve(allowance)
  }
  const signer = toClientEvmSigner(account, reader)
  const client = registerExactEvmScheme(new x402Client(), { signer })
  client.register('eip155:*', new UptoEvmScheme(signer))
  return {
    address: account.address,
    key,
    approve,
    call: async (to, data) => mined(await wallet.sendTransaction({ to: getAddress(to), data })),
    pay: async ({ scheme = 'exact', amount = PRICE, payTo = world.newAddress(), ...asks } = {}) => {
      const paymentRequirements = {
        scheme,
        network: EVM,
        asset: getAddress(usdc),
        amount: `${amount}`,
        payTo,
        maxTimeoutSeconds: 300,
        extra: {
          ...{ name: 'USDC', version: '2', assetTransferMethod: 'permit2' },
          ...(scheme === 'upto'
            ? { facilitatorAddress: asks.facilitator ?? (await facilitatorOf(world)) }
            : {}),
        },
      } as const
      const paymentPayload = await client.createPaymentPayload({
        x402Version: 2,
        resource: { url: 'https://shop.example/report' },
        accepts: [paymentRequirements],
        extensions: kind === 'cold' ? { eip2612GasSponsoring: { info: {}, schema: {} } } : {},
      })
      const body = { x402Version: 2, paymentPayload: { ...paymentPayload }, paymentRequirements }
      return { body: { ...body, x402Version: 2 }, payTo }
    },
  }
}

/** The address that the service names for `upto`. */
export async function facilitatorOf(world: World): Promise<string> {
  const { body } = await world.client().get('/x402/supported')
  const kinds = (body['kinds'] ?? []) as readonly Fields[]
  const upto = kinds.find(({ scheme }) => scheme === 'upto')
  return String(fieldsOf(upto?.['extra'])?.['facilitatorAddress'])
}

/** The same payment for another price, as a seller says it who charges less, or tries to charge more. */
export function charging({ body, payTo }: SettleBody, amount: bigint): SettleBody {
  const paymentRequirements = { ...body.paymentRequirements, amount: `${amount}` }
  return { body: { ...body, paymentRequirements }, payTo }
}
