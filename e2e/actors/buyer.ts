import axios from 'axios'
import { createKeyPairSignerFromBytes } from '@solana/kit'
import { wrapAxiosWithPayment, x402Client as AxiosClient } from '@x402/axios'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { UptoEvmScheme } from '@x402/evm/upto/client'
import { wrapFetchWithPayment, x402Client as FetchClient } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'

/** What a buyer is told; JSON in its only argument. */
export interface BuyerSettings {
  readonly url: string
  readonly client: 'fetch' | 'axios'
  readonly evmKey?: `0x${string}`
  /** Where it reads what it has approved, and signs what it has not. */
  readonly evmRpcUrl?: string
  /** 64 bytes in hex. */
  readonly solanaKey?: string
  readonly solanaRpcUrl?: string
  readonly times: number
  /** It may pay tokens that its package does not know; left out, it may not. */
  readonly paysAnyAsset?: true
}

/** What a buyer got; one JSON line each. */
export interface Bought {
  readonly status: number
  readonly body: unknown
  readonly paymentResponse: string | null
}

// A buyer with a stock client of version 2, as a process of its own.
const settings = JSON.parse(process.argv[2] ?? '{}') as BuyerSettings

async function withSchemes<Client extends FetchClient | AxiosClient>(
  client: Client,
): Promise<Client> {
  const { evmKey, evmRpcUrl, solanaKey, solanaRpcUrl } = settings
  if (settings.paysAnyAsset === true && 'setSpendControls' in client)
    client.setSpendControls({ allowedAssets: true })
  if (evmKey !== undefined) {
    const account = privateKeyToAccount(evmKey)
    const options = evmRpcUrl === undefined ? undefined : { rpcUrl: evmRpcUrl }
    client.register('eip155:*', new ExactEvmScheme(account, options))
    client.register('eip155:*', new UptoEvmScheme(account, options))
  }
  if (solanaKey !== undefined) {
    const signer = await createKeyPairSignerFromBytes(Buffer.from(solanaKey, 'hex'))
    // Devnet's own nodes are out of reach.
    const options = solanaRpcUrl === undefined ? undefined : { rpcUrl: solanaRpcUrl }
    client.register('solana:*', new ExactSvmScheme(signer, options))
  }
  return client
}

async function openFetch(): Promise<() => Promise<Bought>> {
  const pay = wrapFetchWithPayment(fetch, await withSchemes(new FetchClient()))
  return async () => {
    const answer = await pay(settings.url)
    const paymentResponse = answer.headers.get('payment-response')
    return { status: answer.status, body: await answer.json(), paymentResponse }
  }
}

async function openAxios(): Promise<() => Promise<Bought>> {
  const pay = wrapAxiosWithPayment(axios.create(), await withSchemes(new AxiosClient()))
  return async () => {
    const { status, data, headers } = await pay.get<unknown>(settings.url)
    const paymentResponse: unknown = headers['payment-response']
    return {
      status,
      body: data,
      paymentResponse: typeof paymentResponse === 'string' ? paymentResponse : null,
    }
  }
}

const buyOne = await (settings.client === 'axios' ? openAxios() : openFetch())
const bought = await Promise.all(Array.from({ length: settings.times }, buyOne))
for (const one of bought) process.stdout.write(`${JSON.stringify(one)}\n`)
process.exit(0)
