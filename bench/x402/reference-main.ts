import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createKeyPairSignerFromPrivateKeyBytes } from '@solana/kit'
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { BatchSettlementEvmScheme } from '@x402/evm/batch-settlement/facilitator'
import { registerExactEvmScheme } from '@x402/evm/exact/facilitator'
import { toFacilitatorSvmSigner } from '@x402/svm'
import { registerExactSvmScheme } from '@x402/svm/exact/facilitator'
import { nonceManager } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { stockFacilitatorSigner, stockWallet } from '../../e2e/actors/stock-facilitator.ts'
import type { ReferenceSettings } from './reference.ts'

// The official TypeScript facilitator behind as little HTTP as there can be. Ends with its parent.
process.on('disconnect', () => process.exit(1))
const settings = JSON.parse(process.argv[2] ?? '{}') as ReferenceSettings
const { evm, solana } = settings

// Both look for a receipt often, since this chain makes many blocks a second; as its examples have it, that is once a second. The one that is
// better than its examples has a nonce manager as well: one key can have many transactions under way.
const account = privateKeyToAccount(evm.key, evm.isAsShipped === true ? {} : { nonceManager })
const wallet = stockWallet(evm, account, { pollingInterval: 100, cacheTime: 100 })
const signer = stockFacilitatorSigner(wallet)
const facilitator = registerExactEvmScheme(
  // Without an authorizer's key, as ours: whoever claims brings the signature.
  new x402Facilitator().register('eip155:84532', new BatchSettlementEvmScheme(signer)),
  { networks: 'eip155:84532', signer },
)
const feePayer = await createKeyPairSignerFromPrivateKeyBytes(Buffer.from(solana.key, 'hex'))
registerExactSvmScheme(facilitator, {
  networks: 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1',
  signer: toFacilitatorSvmSigner(feePayer, { defaultRpcUrl: solana.rpcUrl }),
})

async function answer(path: string, asked: unknown): Promise<object> {
  const { paymentPayload, paymentRequirements } = asked as {
    readonly paymentPayload: PaymentPayload
    readonly paymentRequirements: PaymentRequirements
  }
  try {
    return path === '/x402/verify'
      ? await facilitator.verify(paymentPayload, paymentRequirements)
      : await facilitator.settle(paymentPayload, paymentRequirements)
  } catch (error) {
    return { success: false, errorReason: error instanceof Error ? error.message : String(error) }
  }
}

const server = createServer((request, response) => {
  json(request)
    .then((asked) => answer(request.url ?? '', asked))
    .then(
      (said) => {
        const text = JSON.stringify(said)
        response.writeHead(200, {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(text),
        })
        response.end(text)
      },
      () => response.destroy(),
    )
})
server.keepAliveTimeout = 65_000
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  process.send?.({
    baseUrl: `http://127.0.0.1:${port}`,
    settlers: { evm: account.address, solana: feePayer.address },
  })
})
