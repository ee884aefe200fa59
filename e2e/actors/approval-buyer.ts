import { randomBytes } from 'node:crypto'
import { x402Client } from '@x402/core/client'
import { toClientEvmSigner } from '@x402/evm'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { createPublicClient, createWalletClient, erc20Abi, getAddress, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { baseSepolia } from 'viem/chains'
import { NATIVE, USDC } from '@florin/server/chains/evm/test-network.ts'
import { until } from '@florin/server/kernel/until.ts'
import type { AssetProfile } from '@florin/server/kernel/network-config.ts'
import { facilitatorOf } from './permit2-buyer.ts'
import { EVM, PRICE } from './seller.ts'
import type { SettleBody } from './seller.ts'
import type { ServiceHandle } from './service.ts'
import type { World } from './world.ts'
import { openWorld, walletOf } from './world.ts'

/** What the operator gives for one approval, and on a day. */
export const SPONSORED = { amountMax: 10n ** 16n, amountPerDay: 10n ** 18n } as const

/** A world of which the service sponsors approvals of a token that knows no permits. */
export interface SponsoredWorld {
  readonly world: World
  readonly token: AssetProfile
  /** Another one, which also answers no word to a transfer. */
  readonly other: AssetProfile
  readonly sponsor: string
  /** One more instance of it. */
  start(change?: {
    readonly killPoint?: string
    readonly amountMax?: bigint
    readonly amountPerDay?: bigint
  }): Promise<ServiceHandle>
  /** How many payments the sponsor's wallet has made. */
  fundings(): Promise<number>
  /** One that sponsors nothing, as every service does that nobody has told to. */
  startWithout(): Promise<ServiceHandle>
  tokensOf(address: string, by?: AssetProfile): Promise<bigint>
}

export async function openSponsoredWorld(): Promise<SponsoredWorld> {
  const world = await openWorld()
  const [fern] = world.sandbox.tokens
  if (fern === undefined) throw new Error('the sandbox trades no token')
  const [token, other] = [fern, world.sandbox.oldToken].map(
    ({ mint, symbol, decimals }): AssetProfile => ({
      ...{ symbol, asset: getAddress(mint), decimals, takesCommitment: false },
    }),
  )
  if (token === undefined || other === undefined) throw new Error('no tokens')
  const sponsor = walletOf(world)
  const network = { assets: [NATIVE, { ...USDC, takesWalletSignatures: true }, token, other] }
  const start: SponsoredWorld['start'] = ({ killPoint, ...change } = {}) => {
    const { amountMax, amountPerDay } = { ...SPONSORED, ...change }
    return world.start({
      network,
      approvalSponsoring: {
        ...{ wallet: sponsor, amountMax: `${amountMax}`, amountPerDay: `${amountPerDay}` },
      },
      ...(killPoint === undefined ? {} : { killPoint }),
    })
  }
  await world.service().stop()
  await start()
  const reader = createPublicClient({ transport: http(world.sandbox.rpcUrl) })
  return {
    ...{ world, token, other, sponsor, start },
    startWithout: () => world.start({ network }),
    fundings: async () => {
      const rows = await world.database.store.query<{ count: string }>(
        'sponsored_count',
        `select count(*) as count from payments where type = 'sent' and sender = $1`,
        [sponsor],
      )
      return Number(rows[0]?.count)
    },
    tokensOf: (address, by = token) =>
      reader.readContract({
        ...{ address: getAddress(by.asset), abi: erc20Abi, functionName: 'balanceOf' },
        args: [getAddress(address)],
      }),
  }
}

/** A fresh wallet with tokens, without native currency, and with a stock client. */
export interface ApprovalBuyer {
  readonly address: `0x${string}`
  readonly key: `0x${string}`
  /** Signs what a seller asks for, its approval included, and hands over what the seller's server would. */
  pay(asks?: {
    readonly amount?: bigint
    readonly scheme?: 'exact' | 'upto'
    readonly charge?: bigint
    /** Left out: the world's first one, which the buyer has. */
    readonly by?: AssetProfile
  }): Promise<SettleBody>
  /** As soon as it is given money it takes the nonce of its approval for something else, and that is mined. */
  takeTheMoney(): Promise<void>
}

export async function anApprovalBuyer({ world, token }: SponsoredWorld): Promise<ApprovalBuyer> {
  const key = `0x${randomBytes(32).toString('hex')}` as const
  const account = privateKeyToAccount(key)
  const { rpcUrl } = world.sandbox
  await world.sandbox.fund(account.address, 'FERN', '1')
  const transport = http(rpcUrl)
  const reader = createPublicClient({ transport })
  const wallet = createWalletClient({ account, chain: baseSepolia, transport })
  const signer = toClientEvmSigner(account, reader)
  const options = { rpcUrl }
  const client = registerExactEvmScheme(new x402Client(), { signer, schemeOptions: options })
  client.setSpendControls({ allowedAssets: true })
  client.register('eip155:*', new UptoEvmScheme(signer, options))
  return {
    ...{ address: account.address, key },
    pay: async ({ amount = PRICE, scheme = 'exact', charge, by = token } = {}) => {
      const payTo = world.newAddress()
      const paymentRequirements = {
        ...{ scheme, network: EVM, asset: by.asset, amount: `${amount}`, payTo },
        maxTimeoutSeconds: 300,
        extra: {
          ...{ name: by.symbol, version: '1', assetTransferMethod: 'permit2' },
          ...(scheme === 'upto' ? { facilitatorAddress: await facilitatorOf(world) } : {}),
        },
      } as const
      const paymentPayload = await client.createPaymentPayload({
        x402Version: 2,
        resource: { url: 'https://shop.example/report' },
        accepts: [{ ...paymentRequirements, network: 'eip155:84532' }],
        extensions: { erc20ApprovalGasSponsoring: { info: {}, schema: {} } },
      })
      const asked = { ...paymentRequirements, amount: `${charge ?? amount}` }
      return {
        ...{ payTo },
        body: {
          x402Version: 2,
          paymentPayload: { ...paymentPayload },
          paymentRequirements: asked,
        },
      }
    },
    takeTheMoney: async () => {
      const balance = () => reader.getBalance({ address: account.address })
      await until('it has the money', async () => (await balance()) > 0n, { seconds: 30 })
      const gasPrice = 2n * (await reader.getGasPrice())
      const value = (await balance()) - 21_000n * gasPrice
      const to = getAddress(world.newAddress())
      await wallet.sendTransaction({ to, value, gas: 21_000n, gasPrice, nonce: 0 })
      const isMined = async () => (await reader.getTransactionCount(account)) === 1
      await until('the nonce is used', isMined, { seconds: 30 })
    },
  }
}
