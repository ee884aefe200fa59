// Sells a report for 0.01 USDC to whoever speaks x402. The same line stands before a handler of Express or Hono.
//   eval "$(npx florin env)" && node bin/florin.js exec examples/seller.ts
import { createServer } from 'node:http'
import { Florin, paywall } from '@florin/sdk'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_WALLET_EVM_2 = '' } = process.env
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey: FLORIN_API_KEY ?? '' })

const wall = paywall(florin, {
  amount: '0.01',
  asset: 'USDC',
  network: 'base-sepolia',
  payTo: FLORIN_WALLET_EVM_2,
})
const server = createServer((request, response) => {
  wall(request, response, () => response.end('Sales are up.')).catch(() => response.destroy())
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  console.log(`http://127.0.0.1:${port}/report`)
})
