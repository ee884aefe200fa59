import type { OperationReference } from './operation-reference.ts'

const SENDER = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const RECIPIENT = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const COMMITMENT = '9f2d6a41c07e5b38'.repeat(4)
const PAYMENT = 'pay_3nJ8vTq5ZcWm2XyRbE7hKd'
const TRANSACTION = 'AvhpgwFLtAeDD0JAhB3NZQCDUlSUlFqutgU/PpTJubnwn2aUNef4G+rtiCP5j3hWQAAAwA=='
const PROOF =
  'eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoidHJhbnNmZXIiLCJuZXR3b3JrIjoiZWlwMTU1Ojg0NTMyIiwicGF5bG9hZCI6e319'

const summary = {
  feePayer: SENDER,
  transfers: [
    { asset: 'native', from: SENDER, to: RECIPIENT, amountBaseUnits: '2500000000000000000' },
  ],
  commitments: [COMMITMENT],
  createsAccounts: [],
  others: [],
}

export const buildTransaction: OperationReference = {
  title: 'Build a transaction',
  about: [
    'Builds the transaction of one payment for a wallet whose key you hold, and never signs it. Sign it, send it through your own node or [through ours](#submitTransaction) before `expiresAt`, and read [its status](#paymentStatus): the service recognises it on chain by itself.',
    'The record is `pending` from here on. It is `confirmed` only when the chain shows exactly what was built: a transaction with another amount or recipient does not count, and `remark` on the record says what was seen instead.',
    '`paymentProof` can be handed over at once. It is worth nothing before the payment is on chain, and is accepted once afterwards.',
    'Builds of one wallet get nonces of their own for as long as they are good to use. On EVM the chain itself knows no end: a build that you do not want any more ends when you use its nonce for something else.',
  ],
  body: {
    walletAddress: SENDER,
    recipientAddress: RECIPIENT,
    amount: 2.5,
    resource: 'https://shop.example/orders/1001',
  },
  answer: {
    paymentId: PAYMENT,
    status: 'pending',
    transaction: TRANSACTION,
    format: 'eip1559-rlp',
    network: 'eip155:84532',
    lastValidBlockHeight: 34118247,
    expiresAt: 1790000060000,
    expiryEnforcedByChain: false,
    summary,
    fee: 0.00000412,
    priorityFee: 0.00000224,
    accountRent: 0,
    unsigned: {
      to: RECIPIENT,
      value: '2500000000000000000',
      data: `0x${COMMITMENT}`,
      nonce: 7,
      gas: '26000',
      maxFeePerGas: '158000000',
      maxPriorityFeePerGas: '86000000',
      chainId: 84532,
    },
    paymentProof: PROOF,
    estimatedConfirmation: '2-6 seconds',
  },
}

const AUTHORIZED = {
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  from: SENDER,
  to: RECIPIENT,
  amountBaseUnits: '10000',
}

export const receiveTransaction: OperationReference = {
  title: 'Build a settlement',
  about: [
    'For sellers who settle with a wallet of their own. Checks the proof exactly as [receiving](#receivePayment) does, then builds the transaction that moves the money: on EVM the token call from `walletAddress`, which pays its fee; on Solana the transaction that the buyer has signed with `walletAddress` as its fee payer. Sign it, send it through your own node or [through ours](#submitTransaction), and read [the status](#paymentStatus) of `paymentId`.',
    'The proof is yours alone until `expiresAt`. Until then, and afterwards as long as nobody else claims it, the same request builds again, and on EVM [receiving](#receivePayment) still settles it through this service. Another account may claim it after `expiresAt`; register your address to rule that out. What is on chain is claimed for good.',
    'A proof whose payment is on chain already is `DUPLICATE_SETTLEMENT` with its state. The success itself is given out once, by [receiving](#receivePayment) or by [settling](#settlePayment) with the `paymentId`. `paymentProof` is always null here.',
  ],
  body: {
    walletAddress: RECIPIENT,
    paymentProof: PROOF,
    expectedAmount: 0.01,
    resource: 'https://shop.example/orders/1001',
  },
  answer: {
    paymentId: PAYMENT,
    status: 'pending',
    transaction: TRANSACTION,
    format: 'eip1559-rlp',
    network: 'eip155:84532',
    lastValidBlockHeight: 34118247,
    expiresAt: 1790000060000,
    expiryEnforcedByChain: false,
    summary: { ...summary, feePayer: RECIPIENT, transfers: [AUTHORIZED], commitments: [] },
    fee: 0.0000168,
    priorityFee: 0.0000091,
    accountRent: 0,
    unsigned: {
      to: AUTHORIZED.asset,
      value: '0',
      data: `0xe3ee160e${COMMITMENT}`,
      nonce: 3,
      gas: '106000',
      maxFeePerGas: '158000000',
      maxPriorityFeePerGas: '86000000',
      chainId: 84532,
    },
    paymentProof: null,
    estimatedConfirmation: '2-6 seconds',
  },
}

export const abandonTransaction: OperationReference = {
  title: 'Give a build up',
  about: [
    'Marks the payment `abandoned` and lets the next build have its nonce. It cannot unsign anything: when the transaction is sent after all, the record still follows the chain.',
  ],
  params: { paymentId: PAYMENT },
  answer: { paymentId: PAYMENT, abandoned: true, status: 'pending' },
}

export const simulateTransaction: OperationReference = {
  title: 'Simulate a transaction',
  about: [
    'Says what a transaction would do if it were sent now: whether it succeeds, which balances change, what it costs. Signatures are not looked at. Nothing is stored and nothing is sent.',
  ],
  body: { transaction: TRANSACTION, walletAddress: SENDER },
  answer: {
    network: 'eip155:84532',
    succeeds: true,
    error: null,
    changes: [
      { address: SENDER, asset: 'native', deltaBaseUnits: '-2500000000000000000' },
      { address: RECIPIENT, asset: 'native', deltaBaseUnits: '2500000000000000000' },
    ],
    fee: 0.00000224,
    summary,
    signed: false,
  },
}

export const submitTransaction: OperationReference = {
  title: 'Send a signed transaction',
  about: [
    'For callers without a node of their own. Takes what [was built](#buildTransaction) for your account, signed by its wallet, and hands it to the nodes of this service. Its fee may have been changed; anything else is refused.',
    'The bytes are stored before a node hears of them, and sent again until a block shows what was built. Asking again with the same bytes is safe.',
    'The `approval` of a sale is taken the same way and answered with `approval: true`: what follows is the sale, and not its allowance.',
  ],
  body: { transaction: TRANSACTION, walletAddress: SENDER },
  answer: {
    paymentId: PAYMENT,
    signature: HASH,
    network: 'eip155:84532',
    status: 'pending',
    accepted: true,
    reason: null,
  },
}
