import type { OperationReference } from './operation-reference.ts'

const SELLER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const BUYER = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'
const PROOF =
  'eyJ4NDAyVmVyc2lvbiI6MSwic2NoZW1lIjoiZXhhY3QiLCJuZXR3b3JrIjoiYmFzZS1zZXBvbGlhIiwicGF5bG9hZCI6e319'
const CHALLENGE = [
  'Florin: register a receiving address',
  '',
  'The account below, and no other, may then claim payments made to this address.',
  'This signature moves no money.',
  '',
  `Address: ${SELLER}`,
  'Account: acct_2pLm9XvKz4RtYc7QbWnE3h',
  'Installation: 5f0c9a4be1d27386a1c4b0de92f37a68',
  'Issued at: 2026-09-21T14:13:20.000Z',
  'Valid for: 600 seconds',
].join('\n')

const received = {
  verified: true,
  paymentId: 'pay_6kWp3YtNc8QmXv2RzJbE5h',
  signature: HASH,
  logIndex: 14,
  network: 'eip155:84532',
  asset: USDC,
  amount: 0.01,
  amountBaseUnits: '10000',
  sender: BUYER,
  recipient: SELLER,
  status: 'confirmed',
  facilitator: 'https://pay.example/x402',
  resource: 'https://shop.example/weather',
  blockHeight: 34118217,
  paymentResponse: 'eyJzdWNjZXNzIjp0cnVlLCJ0cmFuc2FjdGlvbiI6IjB4NWM1MDRlZDQifQ==',
}

const address = {
  address: SELLER,
  family: 'evm',
  label: 'till 3',
  registeredAt: 1790000000000,
}

export const receivePayment: OperationReference = {
  title: 'Receive a payment',
  about: [
    'Give it what the buyer sent and what you asked for. It checks the proof against your own terms, never against what the payer wrote, settles it, and answers 200 when the money is on chain as deep as the network asks for. Release what was bought then, and only then.',
    'A proof succeeds once. A repeat with the same `Idempotency-Key` gets the same answer; any other is `DUPLICATE_SETTLEMENT`. When the outcome is still open at the timeout this is `SETTLEMENT_PENDING`: repeat it, and it joins the wait.',
    'A `paymentProof` that this installation gave out for `POST /payment/send` is taken as well, for 24 hours after the transfer was confirmed.',
  ],
  body: {
    walletAddress: SELLER,
    paymentProof: PROOF,
    expectedAmount: 0.01,
    resource: 'https://shop.example/weather',
    timeout: 30,
  },
  answer: received,
}

export const settlePayment: OperationReference = {
  title: 'Settle a payment',
  about: [
    'The same as [receiving a payment](#receivePayment) for a proof that you verified before. With nothing but `paymentId` it joins a settlement that was begun.',
  ],
  body: { paymentId: received.paymentId },
  answer: received,
}

export const settlePaymentV1: OperationReference = {
  title: 'Settle a payment (v1)',
  about: ['Another name of [settling a payment](#settlePayment).'],
  body: { paymentId: received.paymentId },
  answer: received,
}

export const verifyPayment: OperationReference = {
  title: 'Verify a payment',
  about: [
    'Says whether a proof would settle now. It moves nothing and reserves nothing: between this and the settlement the buyer may still spend the money. A proof that would not settle is a 200 with `valid: false` and the reason.',
  ],
  body: { payment_proof: PROOF, amount: 0.01, recipient: SELLER },
  answer: {
    valid: true,
    payer: BUYER,
    amount: 0.01,
    recipient: SELLER,
    network: 'eip155:84532',
    asset: USDC,
  },
}

export const challengeAddress: OperationReference = {
  title: 'Get a text to sign',
  about: [
    'The first step of [registering an address](#registerAddress): the text that its holder signs.',
  ],
  query: { address: SELLER },
  answer: { address: SELLER, family: 'evm', challenge: CHALLENGE, expiresAt: 1790000600000 },
}

export const registerAddress: OperationReference = {
  title: 'Register an address',
  about: [
    'Once an address is registered, payments made to it can be claimed by your account alone. Wallets that the service holds need no registration.',
    'On EVM the address signs with `personal_sign` and a plain key: accounts with code are not asked. On Solana it signs the UTF-8 bytes of the text.',
  ],
  body: {
    address: SELLER,
    challenge: CHALLENGE,
    signature: `0x${'4f8a2c6e1b9d3057'.repeat(8)}1c`,
    label: 'till 3',
  },
  answer: address,
}

export const listAddresses: OperationReference = {
  title: 'List addresses',
  about: ['The addresses that your account registered, oldest first.'],
  answer: { addresses: [address] },
}

export const deleteAddress: OperationReference = {
  title: 'Give an address up',
  about: ['Whoever comes first may claim payments made to it afterwards.'],
  params: { address: SELLER },
  answer: { address: SELLER, deletedAt: 1790000600000 },
}
