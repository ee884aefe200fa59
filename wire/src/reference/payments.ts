import type { OperationReference } from './operation-reference.ts'

const SENDER = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const PROOF =
  'eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoidHJhbnNmZXIiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMyIiwicGF5bG9hZCI6e319'

const confirmed = {
  paymentId: 'pay_3nJ8vTq5ZcWm2XyRbE7hKd',
  signature: HASH,
  network: 'eip155:84532',
  asset: USDC,
  amount: 2.5,
  amountBaseUnits: '2500000',
  sender: SENDER,
  recipient: RECIPIENT,
  status: 'confirmed',
  blockHeight: 34118217,
  fee: null,
  resource: 'https://shop.example/orders/1001',
  metadata: { order: '1001' },
  estimatedConfirmation: '2-6 seconds',
}

const settled = {
  ...confirmed,
  status: 'settled',
  fee: 0.00000412,
  type: 'sent',
  priorityFee: 0.00000224,
  confirmations: 66,
  releaseDepth: 1,
  finality: "the node's finalized block",
  createdAt: 1790000000000,
  confirmedAt: 1790000002310,
  settledAt: 1790000134000,
}

export const sendPayment: OperationReference = {
  title: 'Send a payment',
  about: [
    'Builds, signs and broadcasts one transfer from a wallet whose key the service holds, and waits as long as you ask it to. The payment is stored before any node hears of it, so it cannot be lost, and the service drives it to its end whether or not you keep waiting.',
    'The answer is 200 as soon as the payment is stored; `status` says how far it came. When the wait runs out it is `pending` or `confirmed`: read [its status](#paymentStatus) later. Send an `Idempotency-Key` and repeat the same request after any doubt: it answers for the same payment, and money moves once.',
    '`amount` is 0.001 to 100 in whole units of the asset, as a number or as decimal text. More fraction digits than the asset has are refused, never rounded.',
  ],
  body: {
    walletAddress: SENDER,
    recipientAddress: RECIPIENT,
    amount: 2.5,
    asset: 'USDC',
    resource: 'https://shop.example/orders/1001',
    metadata: { order: '1001' },
    waitFor: 'confirmed',
    timeout: 10,
  },
  answer: { ...confirmed, paymentProof: PROOF },
}

export const paymentStatus: OperationReference = {
  title: 'Get a payment',
  about: [
    'The whole record of one payment of your account, as the service knows it now. `settled`, `failed` and `expired` never change any more.',
    '`paymentProof` is shown to keys with the scope `write` only: whoever has it can claim the payment.',
  ],
  params: { paymentId: 'pay_3nJ8vTq5ZcWm2XyRbE7hKd' },
  answer: {
    ...settled,
    attempts: [
      {
        number: 1,
        signature: HASH,
        status: 'mined',
        createdAt: 1790000000000,
        sentAt: 1790000000041,
        requestId: 'req_8fKq2VnRw5YtHc3JmZ7bLd',
      },
    ],
  },
}

export const paymentHistory: OperationReference = {
  title: 'List payments',
  about: [
    'Lists the records of your own account that an address has part in, newest first; an address that you have nothing with has an empty list. What arrived at a wallet of yours without a request is listed as `received`.',
    'Pass `nextCursor` of one page as `cursor` of the next. A page costs the same at any depth, and payments that arrive meanwhile do not shift it. `offset` is there for small histories.',
  ],
  params: { walletAddress: SENDER },
  query: { limit: 50, type: 'sent' },
  answer: {
    walletAddress: SENDER,
    type: 'sent',
    payments: [settled],
    total: 1,
    limit: 50,
    offset: 0,
    hasMore: false,
    nextCursor: null,
  },
}

export const listPayments: OperationReference = {
  title: 'List all payments',
  about: [
    'Lists the records of your account whatever the address, newest first. `search` takes whatever you have in hand: the id of a payment, a transaction, an address on either side, or the URL of a resource.',
    'Pass `nextCursor` of one page as `cursor` of the next; a page costs the same at any depth. Filters that few payments fit make a page look back over 10,000 payments and no further: then `lookedBackTo` says how far it came, and `nextCursor` goes on from there, even when the page is empty.',
  ],
  query: { status: 'settled', limit: 50 },
  answer: { payments: [settled], hasMore: false, nextCursor: null, lookedBackTo: null },
}

export const findPayment: OperationReference = {
  title: 'Find payments',
  about: [
    'Looks by exactly one of `signature`, `proof`, or `nonce` with `network` and `sender`. One transaction may carry several payments, and a payment is found by every attempt that was ever signed for it. Nothing found is an empty list.',
  ],
  query: { signature: HASH },
  answer: { payments: [settled] },
}
