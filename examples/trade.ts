// Buys USDC for 0.01 of the network's own currency and sells half of what the wallet then has. Run it twice: it is traded once.
//   eval "$(npx florin env)" && node bin/florin.js exec examples/trade.ts
// Trading from a wallet of the service needs the plan premium, which FLORIN_API_KEY of a sandbox has not.
import { Florin } from '@florin/sdk'

const { FLORIN_BASE_URL, FLORIN_API_KEY, FLORIN_API_KEY_PREMIUM, FLORIN_WALLET_EVM_1 } = process.env
const apiKey = FLORIN_API_KEY_PREMIUM ?? FLORIN_API_KEY ?? ''
const florin = new Florin({ baseUrl: FLORIN_BASE_URL ?? '', apiKey })

const publicKey = FLORIN_WALLET_EVM_1 ?? ''
const [network] = await florin.networks.list()
const mint = network?.assets.find(({ symbol }) => symbol === 'USDC')?.asset ?? ''

const quote = await florin.trade.quote({ side: 'buy', mint, amount: '0.01' })
console.log(`0.01 would bring ${quote.estimatedTokensReceived}, ${quote.minimumReceived} at least`)

const buy = { publicKey, mint, amount: '0.01', slippage: 1 }
const { tradeId } = await florin.trade.buy(buy, { idempotencyKey: 'rebalance-1-buy' })
const bought = await florin.trade.wait(tradeId, { until: 'confirmed' })
console.log(`bought ${bought.tokensReceived} at ${bought.effectivePrice}`)

const half = { publicKey, mint, amount: '50%', slippage: 1 }
const sale = await florin.trade.sell(half, { idempotencyKey: 'rebalance-1-sell' })
const sold = await florin.trade.wait(sale.tradeId, { until: 'confirmed' })
console.log(`sold ${sold.tokensSold} for ${sold.received}`)
