import type { OperationReference } from './operation-reference.ts'

const PAYER = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const SELLER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const HASH = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060'

const accepted = {
  scheme: 'exact',
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  amount: '10000',
  payTo: SELLER,
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
}

const body = {
  x402Version: 2,
  paymentPayload: {
    x402Version: 2,
    resource: { url: 'https://shop.example/weather' },
    accepted,
    payload: {
      signature: `0x${'2d6a7588d6acca505cbf0d9a4a227e0c52c6c34008c8e8986a128325976417'.repeat(2)}2d6a1b`,
      authorization: {
        from: PAYER,
        to: SELLER,
        value: '10000',
        validAfter: '1789999990',
        validBefore: '1790000060',
        nonce: '0xf3746613c2d920b5fdabc0856f2aeb2d4f88ee6037b8cc5d04a71a4462f13480',
      },
    },
  },
  paymentRequirements: accepted,
}

export const x402Verify: OperationReference = {
  title: 'Verify an x402 payment',
  about: [
    'Takes and answers exactly what x402 versions 1 and 2 say, so that stock sellers can name `/x402` as their facilitator. A payment that would not settle is a 200 with `isValid: false` and the reason in the words of the protocol. Nothing moves.',
  ],
  body,
  answer: { isValid: true, payer: PAYER },
}

export const x402Settle: OperationReference = {
  title: 'Settle an x402 payment',
  about: [
    'Brings the payment on chain and waits for it. A payment that cannot be settled is a 200 with `success: false` and the reason. An outcome that is still open is `settlement_pending` with the hash: asking again joins the wait.',
  ],
  body,
  answer: {
    success: true,
    payer: PAYER,
    transaction: HASH,
    network: 'eip155:84532',
    amount: '10000',
  },
}

export const x402Supported: OperationReference = {
  title: 'List supported kinds',
  about: ['What this facilitator settles, and the addresses that it signs with.'],
  answer: {
    kinds: [{ x402Version: 2, scheme: 'exact', network: 'eip155:84532' }],
    extensions: [],
    signers: { 'eip155:*': ['0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0'] },
  },
}
