import { randomBytes } from 'node:crypto'
import { createWalletClient, getAddress, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { testPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { AuthorizeOrder, TestPayer } from '@florin/server/chains/evm/test-payer.ts'
import type { Address } from '@florin/server/chains/chain.ts'
import type { Fields } from '@florin/wire/x402/fields.ts'
import type { Reply } from './client.ts'
import type { World } from './world.ts'

export const EVM = 'eip155:84532'
/** Base units of the sandbox's USDC. */
export const PRICE = 10_000n

/** What a seller's server hands to the facilitator. */
export interface SettleBody {
  readonly body: {
    readonly x402Version: 2
    readonly paymentPayload: Fields
    readonly paymentRequirements: Fields
  }
  readonly payTo: string
}

/** The same on EVM, with the payer's own hands. */
export interface Purchase extends SettleBody {
  readonly payer: TestPayer
  readonly payTo: Address
}

/** A payer with one USDC who has signed a payment of 0.01 to a new address. */
export async function aPurchase(
  world: World,
  change: Partial<AuthorizeOrder> = {},
): Promise<Purchase> {
  const payer = testPayer()
  await world.sandbox.fund(payer.address, 'USDC', '1')
  return purchaseFrom(world, payer, change)
}

export async function purchaseFrom(
  world: { readonly sandbox: Pick<World['sandbox'], 'usdc'> },
  payer: TestPayer,
  change: Partial<AuthorizeOrder> = {},
): Promise<Purchase> {
  const payTo =
    change.to ?? (getAddress(`0x${randomBytes(20).toString('hex')}`) as string as Address)
  const asset = {
    symbol: 'USDC',
    asset: getAddress(world.sandbox.usdc),
    decimals: 6,
    takesCommitment: true,
    domain: { name: 'USDC', version: '2' },
  }
  const payload = await payer.authorize({ asset, to: payTo, amount: PRICE, ...change })
  const paymentRequirements = {
    scheme: 'exact',
    network: EVM,
    asset: asset.asset,
    amount: `${change.amount ?? PRICE}`,
    payTo,
    maxTimeoutSeconds: 60,
    extra: { name: 'USDC', version: '2' },
  }
  return {
    payer,
    payTo,
    body: {
      x402Version: 2,
      paymentPayload: { x402Version: 2, accepted: paymentRequirements, payload },
      paymentRequirements,
    },
  }
}

/** What a seller says of it to a service that builds or receives. */
export function offerOf({ body, payTo }: SettleBody) {
  return {
    walletAddress: payTo,
    paymentProof: Buffer.from(JSON.stringify(body.paymentPayload)).toString('base64'),
    expectedAmount: '0.01',
  }
}

/** Asks the world's service to settle it. */
export function settle(
  world: World,
  { body }: Pick<SettleBody, 'body'>,
  signal?: AbortSignal,
): Promise<Reply> {
  return world.client().post('/x402/settle', body, {}, signal)
}

const TOKEN = parseAbi([
  'function transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)',
  'function cancelAuthorization(address,bytes32,bytes)',
])
/** A node is not asked what these take: others may change that meanwhile. */
const GAS = 200_000n

/** Submits the authorization as a stranger would who saw it on its way, and gives the hash. */
export async function submitElsewhere(world: World, purchase: Purchase): Promise<string> {
  return (await aStranger(world))(purchase)
}

/** Somebody with gas money who submits authorizations, before others where a tip per gas is given. */
export async function aStranger(
  world: World,
): Promise<(purchase: Pick<Purchase, 'body'>, tipPerGas?: bigint) => Promise<string>> {
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
  await world.sandbox.fund(account.address, 'native', '1')
  const stranger = createWalletClient({
    account,
    chain: baseSepolia,
    transport: http(world.sandbox.rpcUrl),
  })
  return ({ body }, tipPerGas) => {
    const payload = body.paymentPayload['payload'] as {
      signature: `0x${string}`
      authorization: Record<string, string>
    }
    const { from, to, value, validAfter, validBefore, nonce } = payload.authorization
    return stranger.writeContract({
      address: getAddress(world.sandbox.usdc),
      abi: TOKEN,
      functionName: 'transferWithAuthorization',
      args: [
        getAddress(from ?? ''),
        getAddress(to ?? ''),
        BigInt(value ?? 0),
        BigInt(validAfter ?? 0),
        BigInt(validBefore ?? 0),
        `0x${(nonce ?? '').slice(2)}`,
        payload.signature,
      ],
      ...(tipPerGas === undefined
        ? {}
        : { maxPriorityFeePerGas: tipPerGas, maxFeePerGas: 3n * tipPerGas, gas: GAS }),
    })
  }
}

/** The payer takes back what it signed: a stranger submits the cancellation, and gives its hash. */
export async function aCanceller(
  world: World,
): Promise<(purchase: Purchase, tipPerGas: bigint) => Promise<string>> {
  const account = privateKeyToAccount(`0x${randomBytes(32).toString('hex')}`)
  await world.sandbox.fund(account.address, 'native', '1')
  const stranger = createWalletClient({
    account,
    chain: baseSepolia,
    transport: http(world.sandbox.rpcUrl),
  })
  return async ({ body, payer }, tipPerGas) => {
    const asset = getAddress(world.sandbox.usdc)
    const { authorization } = body.paymentPayload['payload'] as {
      authorization: { nonce: string }
    }
    const nonce = `0x${authorization.nonce.slice(2)}` as const
    const domain = { name: 'USDC', version: '2' }
    const token = { symbol: 'USDC', asset, decimals: 6, takesCommitment: true, domain }
    const signature = await payer.cancel(token, nonce)
    return stranger.writeContract({
      ...{ address: asset, abi: TOKEN, functionName: 'cancelAuthorization' },
      args: [getAddress(payer.address), nonce, signature],
      ...{ maxPriorityFeePerGas: tipPerGas, maxFeePerGas: 3n * tipPerGas, gas: GAS },
    })
  }
}
