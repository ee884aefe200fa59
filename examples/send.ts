// Pays 2.5 USDC. Run it twice: the same invoice is paid once.
//   eval "$(npx florin env)" && node bin/florin.js exec examples/send.ts
import { Florin } from '@florin/sdk'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_WALLET_EVM_1, FLORIN_WALLET_EVM_2 } = process.env
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey: FLORIN_API_KEY ?? '' })

const order = {
  walletAddress: FLORIN_WALLET_EVM_1 ?? '',
  recipientAddress: FLORIN_WALLET_EVM_2 ?? '',
  amount: '2.5',
  asset: 'USDC',
}
const sent = await florin.payments.send(order, { idempotencyKey: 'invoice-1003' })
const payment = await florin.payments.wait(sent.paymentId, { until: 'settled' })
console.log(`${payment.paymentId} ${payment.status} in block ${payment.blockHeight}`)
