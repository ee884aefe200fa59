const CLIENT = `
import { Florin } from '@florin/sdk'
declare const florin: Florin`
const SETTINGS = `declare const baseUrl: string, apiKey: string`
const WALLET = `${CLIENT}
import { privateKeyToAccount } from 'viem/accounts'
const wallet = privateKeyToAccount('0x')`

/** What each block of TypeScript in a document takes for given, by its name. One that takes nothing has no row. */
export const givens: Readonly<Record<string, string>> = {
  'README.md 1': `${SETTINGS}
declare const walletAddress: string, recipientAddress: string`,
  'README.md 2': `
import { HTTPFacilitatorClient } from '@x402/core/server'
declare const auth: Record<string, string>`,
  'docs/concepts/events.md 1': `${CLIENT}
let lastId: string | undefined
declare function dealWith(event: object): Promise<void>`,
  'docs/guides/buy.md 1': `${SETTINGS}
declare const walletAddress: string`,
  'docs/guides/client.md 1': `${SETTINGS}
declare const walletAddress: string, recipientAddress: string`,
  'docs/guides/own-wallet.md 1': `${WALLET}
declare const recipientAddress: string`,
  'docs/guides/own-wallet.md 2': `${WALLET}
declare const header: string, resource: string`,
  'docs/guides/sell.md 1': `${SETTINGS}
import type { Express, RequestHandler } from 'express'
import type { FastifyInstance } from 'fastify'
declare const app: Express & FastifyInstance, handler: RequestHandler & (() => object), payTo: string`,
  'docs/guides/sell.md 2': `
import type { Express } from 'express'
declare const app: Express, florin: Florin, payTo: string`,
  'docs/guides/sell.md 3': `
import { x402ResourceServer } from '@x402/core/server'
import type { HTTPFacilitatorClient } from '@x402/core/server'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/server'
declare const facilitator: HTTPFacilitatorClient, payTo: \`0x\${string}\`, usdc: \`0x\${string}\`
declare const receiverAuthorizerSigner: NonNullable<NonNullable<ConstructorParameters<typeof BatchSettlementEvmScheme>[1]>['receiverAuthorizerSigner']>`,
  'docs/guides/sell.md 4': `${CLIENT}
import type { Express, RequestHandler } from 'express'
declare const app: Express, handler: RequestHandler, privateJwk: JsonWebKey
const price = { amount: '0.01', asset: 'USDC', network: 'base-sepolia', payTo: '' }`,
  'docs/guides/sponsored-approvals.md 1': `
import { declareErc20ApprovalGasSponsoringExtension } from '@x402/extensions'
import { paymentMiddleware } from '@x402/express'
declare const payTo: string
const use = (server: Parameters<typeof paymentMiddleware>[1]) => paymentMiddleware(routes, server)`,
  'docs/guides/sponsored-approvals.md 2': `
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'
declare const rpcUrl: string, url: string
const signer = privateKeyToAccount('0x')`,
  'docs/guides/trading.md 1': `${CLIENT}
declare const publicKey: string, mint: string, idempotencyKey: string`,
  'docs/guides/webhooks.md 1': `declare const request: Request`,
}
