import { x402Client, wrapFetchWithPayment } from '@x402/fetch'
import { registerExactEvmScheme } from '@x402/evm/exact/client'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { privateKeyToAccount } from 'viem/accounts'

/** What a buyer is told; JSON in its only argument. */
export interface BuyerSettings {
  readonly url: string
  readonly evmKey?: `0x${string}`
  /** 64 bytes in hex. */
  readonly solanaKey?: string
  readonly solanaRpcUrl?: string
  readonly times: number
}

/** What a buyer got; one JSON line each. */
export interface Bought {
  readonly status: number
  readonly body: string
  readonly paymentResponse: string | null
}

// A buyer with the stock client of version 2, as a process of its own.
const settings = JSON.parse(process.argv[2] ?? '{}') as BuyerSettings
const client = new x402Client()
const { evmKey, solanaKey, solanaRpcUrl } = settings
if (evmKey !== undefined) registerExactEvmScheme(client, { signer: privateKeyToAccount(evmKey) })
if (solanaKey !== undefined) {
  const signer = await createKeyPairSignerFromBytes(Buffer.from(solanaKey, 'hex'))
  // The scheme's registration helper does not hand an RPC address on, and devnet is out of reach.
  const scheme = new ExactSvmScheme(
    signer,
    solanaRpcUrl === undefined ? undefined : { rpcUrl: solanaRpcUrl },
  )
  client.register('solana:*', scheme)
}
const pay = wrapFetchWithPayment(fetch, client)
const bought = await Promise.all(
  Array.from({ length: settings.times }, async (): Promise<Bought> => {
    const answer = await pay(settings.url)
    const paymentResponse = answer.headers.get('payment-response')
    return { status: answer.status, body: await answer.text(), paymentResponse }
  }),
)
for (const one of bought) process.stdout.write(`${JSON.stringify(one)}\n`)
process.exit(0)
