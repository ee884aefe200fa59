import type { OperationReference } from './operation-reference.ts'

const WALLET = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const TOKEN = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const TRADE = 'trd_7kQm2XyRbE3nJ8vTq5ZcWh'
const PAYMENT = 'pay_3nJ8vTq5ZcWm2XyRbE7hKd'

const token = { network: 'eip155:84532', mint: TOKEN, symbol: 'DEMO' }

const buy = {
  tradeId: TRADE,
  paymentId: PAYMENT,
  signature: HASH,
  publicKey: WALLET,
  ...token,
  amount: 0.5,
  amountBaseUnits: '500000000000000000',
  minimumReceived: 448.758975,
  minimumReceivedBaseUnits: '448758975000000000000',
  effectivePrice: 0.0010027541,
  slippage: 10,
  slippageUsed: 0,
  priceImpact: 0.05,
  priorityFeeUsed: 0.00000106,
  fee: 0.00000214,
  venue: 'uniswap-v2',
  status: 'confirmed',
  blockHeight: 34118211,
  tokensReceived: 498.62675,
  tokensReceivedBaseUnits: '498626750000000000000',
  estimatedConfirmation: '2-6 seconds',
}

const { tokensReceived, tokensReceivedBaseUnits, estimatedConfirmation, ...facts } = buy

const sale = {
  ...facts,
  amount: 200,
  amountBaseUnits: '200000000000000000000',
  minimumReceived: 0.17893,
  minimumReceivedBaseUnits: '178930000000000000',
  effectivePrice: 0.00099405,
  tokensSold: 200,
  tokensSoldBaseUnits: '200000000000000000000',
  received: 0.19881,
  receivedBaseUnits: '198810000000000000',
}

export const quoteTrade: OperationReference = {
  title: 'Ask for a quote',
  about: [
    'Asks every market of the network and answers with the best. Nothing is reserved: a quote is a forecast, made of a state that is at most one block old. What a trade may at least give is `minimumReceived`, and the chain itself holds a trade to it.',
    'Without `network` it is the default one of the family of `mint`.',
    'Of a sale `amount` may be a part of what a wallet has, such as `50%`, as in an order: then `publicKey` says whose. The sign `%` is written `%25` in an address.',
  ],
  query: { side: 'buy', mint: TOKEN, amount: '0.5' },
  answer: {
    side: 'buy',
    ...token,
    decimals: 18,
    amount: 0.5,
    amountBaseUnits: '500000000000000000',
    estimatedTokensReceived: 498.62675,
    estimatedBaseUnits: '498626750000000000000',
    estimatedPrice: 0.0010027541,
    priceImpact: 0.05,
    minimumReceived: 448.764075,
    minimumReceivedBaseUnits: '448764075000000000000',
    slippage: 10,
    venue: 'uniswap-v2',
    quotedHeight: 34118210,
    expiresAt: null,
  },
}

export const buyToken: OperationReference = {
  title: 'Buy a token',
  about: [
    'Spends native currency of a wallet that the service holds, at the market of its network that gives most. It takes the way of [any payment](#sendPayment): policies, budgets, `Idempotency-Key`, `waitFor` and statuses mean the same, and `paymentId` is its payment.',
    'The least that may come in is what was quoted less `slippage`. The chain refuses the whole trade otherwise: then the money stays, the network keeps its fee, and the answer is `TRANSACTION_FAILED` with the `tradeId`. Where it can be known before anything is signed, it is `SLIPPAGE_EXCEEDED` and costs nothing.',
    '`tokensReceived` and `effectivePrice` are read from the transaction itself, and null until it is seen. `slippageUsed` is how much less than quoted came in.',
  ],
  body: { publicKey: WALLET, mint: TOKEN, amount: 0.5, slippage: 10 },
  answer: buy,
}

export const sellToken: OperationReference = {
  title: 'Sell a token',
  about: [
    'Sells tokens of a wallet that the service holds, for native currency. `amount` counts tokens, or says a part of what the wallet has, such as `"50%"`; `sellAll` sells everything. A part is exact to the smallest unit, rounded down, and of the balance of the very block that the trade was made at.',
    'On EVM a market may take tokens only after an allowance. It is signed together with the sale, for exactly this amount, and goes in right before it; its fee is in `fee`.',
  ],
  body: { publicKey: WALLET, mint: TOKEN, amount: '50%' },
  answer: { ...sale, estimatedConfirmation },
}

export const getTrade: OperationReference = {
  title: 'Read a trade',
  about: [
    'A trade stands where its payment stands. `tokensReceived`, or `received` of a sale, is null until the transaction is seen on chain, and again when a reorganisation takes its block back. `endedAt` is when it failed or expired.',
  ],
  params: { tradeId: TRADE },
  answer: {
    ...facts,
    side: 'buy',
    tokensReceived,
    tokensReceivedBaseUnits,
    createdAt: 1790000000000,
    confirmedAt: 1790000002100,
    settledAt: null,
  },
}

export const tradeHistory: OperationReference = {
  title: 'List trades',
  about: [
    'Trades of your account from one wallet, newest first. A cursor stays where it is while new trades arrive.',
  ],
  params: { publicKey: WALLET },
  query: { limit: 1 },
  answer: {
    publicKey: WALLET,
    trades: [
      {
        ...sale,
        side: 'sell',
        createdAt: 1790000050000,
        confirmedAt: 1790000052100,
        settledAt: null,
      },
    ],
    limit: 1,
    hasMore: true,
    nextCursor: 'MTc5MDAwMDA1MDAwMDAwMC50cmRfN2tRbTJYeVJiRTNuSjh2VHE1WmNXaA',
  },
}

const TRANSACTION = 'AvhpgwFLtAeDD0JAhB3NZQCDUlSUlFqutgU/PpTJubnwn2aUNef4G+rtiCP5j3hWQAAAwA=='
const ROUTER = '0x1Be31A94361a391bBaFB2a4CCd704F57dc04d4bb'
const COMMITMENT = '9f2d6a41c07e5b38'.repeat(4)

const unsigned = {
  to: ROUTER,
  value: '500000000000000000',
  data: `0xb6f9de95${COMMITMENT}`,
  nonce: 8,
  gas: '180000',
  maxFeePerGas: '158000000',
  maxPriorityFeePerGas: '86000000',
  chainId: 84532,
}

const built = {
  tradeId: TRADE,
  paymentId: PAYMENT,
  status: 'pending',
  transaction: TRANSACTION,
  format: 'eip1559-rlp',
  network: 'eip155:84532',
  lastValidBlockHeight: 34118247,
  expiresAt: 1790000060000,
  expiryEnforcedByChain: false,
  summary: {
    feePayer: WALLET,
    transfers: [
      { asset: 'native', from: WALLET, to: ROUTER, amountBaseUnits: '500000000000000000' },
    ],
    commitments: [COMMITMENT],
    createsAccounts: [],
    others: [`calls ${ROUTER} with 196 bytes whose meaning is not known here`],
  },
  fee: 0.00002844,
  priorityFee: 0.00001548,
  accountRent: 0,
  unsigned,
  paymentProof: null,
  estimatedConfirmation: '2-6 seconds',
}

const bought = {
  estimatedTokensReceived: 498.62675,
  estimatedBaseUnits: '498626750000000000000',
  estimatedPrice: 0.0010027541,
  priceImpact: 0.05,
  minimumReceived: 448.764075,
  minimumReceivedBaseUnits: '448764075000000000000',
  slippage: 10,
  venue: 'uniswap-v2',
}

const approval = {
  transaction: TRANSACTION,
  format: 'eip1559-rlp',
  summary: {
    feePayer: WALLET,
    transfers: [],
    commitments: [],
    createsAccounts: [],
    others: [`calls ${TOKEN} with 68 bytes whose meaning is not known here`],
  },
  fee: 0.0000079,
  unsigned: { ...unsigned, to: TOKEN, value: '0', nonce: 7, gas: '50000' },
}

export const buildBuy: OperationReference = {
  title: 'Build a buy',
  about: [
    'Builds the transaction of a buy for a wallet whose key you hold, and never signs it. It goes the way of [any build](#buildTransaction): sign it, send it through your own node or [through ours](#submitTransaction) before `expiresAt`, and read [the trade](#getTrade) by its `tradeId`.',
    'The chain refuses to give less than `minimumReceived`. On Solana a maker has signed already, for as long as the blockhash lives.',
    'Nobody is paid by a trade, so `paymentProof` is null.',
  ],
  body: { publicKey: WALLET, mint: TOKEN, amount: 0.5 },
  answer: { ...built, ...bought },
}

export const buildSell: OperationReference = {
  title: 'Build a sale',
  about: [
    'The same for a sale. `amount` may be a part of what the wallet has, such as `"50%"`.',
    'On EVM a market may need an allowance first. It is then in `approval`, a transaction of its own that allows exactly this amount, with a nonce before its own: sign and send it first, through your own node or [through ours](#submitTransaction). The sale lands behind it.',
  ],
  body: { publicKey: WALLET, mint: TOKEN, amount: '50%' },
  answer: {
    ...built,
    summary: {
      ...built.summary,
      transfers: [],
      others: [`calls ${ROUTER} with 260 bytes whose meaning is not known here`],
    },
    unsigned: { ...unsigned, value: '0' },
    estimatedReceived: 0.19881,
    estimatedBaseUnits: '198810000000000000',
    estimatedPrice: 0.00099405,
    priceImpact: 0.03,
    minimumReceived: 0.178929,
    minimumReceivedBaseUnits: '178929000000000000',
    slippage: 10,
    venue: 'uniswap-v2',
    approval,
  },
}
