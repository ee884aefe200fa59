// Buys at a seller of x402, for 0.05 USDC at most. Nothing is paid anywhere else.
//   npx florin paywall                                                  in one window: a shop
//   eval "$(npx florin env)" && SHOP_URL=http://127.0.0.1:PORT/report node bin/florin.js exec examples/buyer.ts
import { Florin, payingFetch } from '@florin/sdk'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_WALLET_EVM_1, SHOP_URL } = process.env
if (SHOP_URL === undefined) throw new Error('SHOP_URL is what a shop calls its page')
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey: FLORIN_API_KEY ?? '' })

const pay = payingFetch(florin, {
  walletAddress: FLORIN_WALLET_EVM_1 ?? '',
  ceiling: '0.05',
  allow: [new URL(SHOP_URL).origin],
})
const answer = await pay(SHOP_URL)
console.log(`${answer.status} ${await answer.text()}`)
console.log(`paid: ${answer.headers.get('payment-paid')} ${answer.headers.get('payment-id') ?? ''}`)
