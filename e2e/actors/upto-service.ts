import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { UptoEvmScheme } from '@x402/evm/upto/facilitator'
import { Florin } from '@florin/sdk'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import type { SandboxHandle } from './sandbox.ts'
import { stockFacilitatorSigner, stockWallet } from './stock-facilitator.ts'

const NETWORK = 'eip155:84532'

interface Question {
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirements
}

/** A client of the service where every answer on x402 is that of the stock facilitator of `upto` on the sandbox. */
export async function openUptoService(sandbox: SandboxHandle): Promise<Florin> {
  const relay = privateKeyToAccount(generatePrivateKey())
  await sandbox.fund(relay.address)
  const signer = stockFacilitatorSigner(stockWallet(sandbox, relay))
  const facilitator = new x402Facilitator()
    .register(NETWORK, new UptoEvmScheme(signer))
    .registerExtension({ key: 'eip2612GasSponsoring' })
  const eip712 = { name: 'USDC', version: '2' }
  const usdc = { symbol: 'USDC', asset: sandbox.usdc, decimals: 6, eip712 }
  const networks = [{ network: NETWORK, assets: [usdc] }]
  const answers: Readonly<Record<string, (question: Question) => unknown>> = {
    '/networks': () => ({ success: true, networks, timestamp: 1 }),
    '/x402/supported': () => facilitator.getSupported(),
    '/x402/verify': (each) => facilitator.verify(each.paymentPayload, each.paymentRequirements),
    '/x402/settle': (each) => facilitator.settle(each.paymentPayload, each.paymentRequirements),
  }
  return new Florin({
    baseUrl: 'http://service.example',
    apiKey: 'key',
    fetch: async (url, init) => {
      const request = new Request(url, init)
      const question = request.method === 'GET' ? undefined : await request.json()
      return Response.json(await answers[new URL(request.url).pathname]?.(question as Question))
    },
  })
}
