import axios from 'axios'
import { withPaymentInterceptor } from 'x402-axios'
import { createSigner, wrapFetchWithPayment } from 'x402-fetch'

// A buyer with a stock client of version 1, as a process of its own.
const settings = JSON.parse(process.argv[2] ?? '{}')
const signer = await createSigner(settings.network, settings.key)
const config =
  settings.solanaRpcUrl === undefined ? undefined : { svmConfig: { rpcUrl: settings.solanaRpcUrl } }

function openFetch() {
  const pay = wrapFetchWithPayment(fetch, signer, undefined, undefined, config)
  return async () => {
    const answer = await pay(settings.url)
    const paymentResponse = answer.headers.get('x-payment-response')
    return { status: answer.status, body: await answer.json(), paymentResponse }
  }
}

function openAxios() {
  const pay = withPaymentInterceptor(axios.create(), signer, undefined, config)
  return async () => {
    const { status, data, headers } = await pay.get(settings.url)
    return { status, body: data, paymentResponse: headers['x-payment-response'] ?? null }
  }
}

const buyOne = settings.client === 'axios' ? openAxios() : openFetch()
const bought = await Promise.all(Array.from({ length: settings.times }, buyOne))
for (const one of bought) process.stdout.write(`${JSON.stringify(one)}\n`)
process.exit(0)
