import type { OperationReference } from './operation-reference.ts'

export const fetchPayment: OperationReference = {
  title: 'Buy from a seller',
  about: [
    'The whole exchange of x402 in one call: asks the seller, reads its 402 in either version, chooses what can be paid from your wallet within `maxAmount` and its [policy](#setWalletPolicy), signs, stores, and asks once more with the payment. A seller that wants no money is answered for as it is, with `paid: false`.',
    '`paid` is what the chain shows, never what the seller says. `unknown` means that the seller holds a payment which it may still use: its money stays held until it was used, or until it can be used no more (at most 300 seconds, and finality). The service follows it; read [its status](#paymentStatus).',
    'An `exact` offer within `maxAmount` is taken before any other, the cheapest of them. Where there is none, on EVM networks that have its proxy, the `upto` offer with the lowest maximum is: the seller says afterwards what it takes of it. Until the chain shows that, `maxAmount`, policy, budget, hold and `amount` count the maximum; from then on `amount` is what was taken, and at finality the rest of the hold and of the budget is free. What a seller of `upto` never takes is free once it cannot be taken any more, also when the seller says that it takes nothing.',
    'An answer of 4xx or 503 means that nothing was signed. After any doubt repeat the request with the same `Idempotency-Key`: the same payment is shown to the seller again, to the letter, and nothing is signed twice. The same request of the same wallet, with the same `Authorization` and `Cookie` for the seller, joins it without a key as well, as long as the payment can still be used and the seller has not delivered.',
    '`asset` is `USDC` unless you say otherwise: one asset on one network, so that `maxAmount` can mean only one thing. Redirects are handed to you and not followed. The address is vetted when it is dialled; outside the sandbox only https and public hosts are asked.',
  ],
  body: {
    walletAddress: '0x8Ba1f109551bD432803012645Ac136ddd64DBA72',
    url: 'https://shop.example/report',
    maxAmount: '0.02',
  },
  answer: {
    paid: true,
    amount: 0.01,
    paymentId: 'pay_3nJ8vTq5ZcWm2XyRbE7hKd',
    payment: {
      paymentId: 'pay_3nJ8vTq5ZcWm2XyRbE7hKd',
      signature: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
      network: 'eip155:84532',
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      amount: 0.01,
      amountBaseUnits: '10000',
      sender: '0x8Ba1f109551bD432803012645Ac136ddd64DBA72',
      recipient: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      status: 'confirmed',
      blockHeight: 34118217,
      fee: 0,
      resource: 'https://shop.example/report',
      metadata: null,
      estimatedConfirmation: '2-6 seconds',
    },
    response: {
      status: 200,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: '{"weather":"fine"}',
      bodyEncoding: 'utf8',
    },
    receipt: {
      success: true,
      transaction: '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060',
      network: 'eip155:84532',
      payer: '0x8Ba1f109551bD432803012645Ac136ddd64DBA72',
    },
  },
}
