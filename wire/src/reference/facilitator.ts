import type { OperationReference } from './operation-reference.ts'

const PAYER = '0x8Ba1f109551bD432803012645Ac136ddd64DBA72'
const SELLER = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
const SETTLER = '0x2c7536E3605D9C16a7a3D7b1898e529396a65c23'

const paymentRequirements = {
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
    accepted: paymentRequirements,
    payload: {
      signature: `0x${'5a'.repeat(64)}1b`,
      authorization: {
        from: PAYER,
        to: SELLER,
        value: '10000',
        validAfter: '0',
        validBefore: '1790000060',
        nonce: `0x${'c5'.repeat(32)}`,
      },
    },
  },
  paymentRequirements,
}

export const x402Verify: OperationReference = {
  title: 'Verify an x402 payment',
  about: [
    'Says whether the payment would settle now. It is a statement, not a lock: nothing is stored, and nothing should be released on it.',
    'Point a stock x402 server at `{base_url}/x402` and it calls this by itself. A "no" is HTTP 200 with `isValid: false` and the reason in the words of x402.',
  ],
  body,
  answer: { isValid: true, payer: PAYER },
}

export const x402Settle: OperationReference = {
  title: 'Settle an x402 payment',
  about: [
    'Moves the money and waits up to 25 s until the chain shows it, and up to 56 s where an approval of the payer (`erc20ApprovalGasSponsoring`) comes first. One proof gives one success: it counts as given once the answer was written completely.',
    '`settlement_pending` means that the outcome is open. Ask again with the same body: you join the wait, and nothing is sent twice.',
    '`approval_pending` means that an approval that came with the payment (`erc20ApprovalGasSponsoring`) is not in a block yet. Nothing was claimed: ask again with the same body.',
    'With the scheme `upto` the amount of the requirements is what is taken, the signed amount at most; zero is a success without a transaction.',
    '`extra.paymentId` is the record of the payment here, for the status endpoint.',
    'With the scheme `batch-settlement` a deposit, a claim, a settlement or a refund is sent to the escrow, once, whoever asks how often; the success of a deposit is given once. `GET /x402/escrow-calls` has its record, and `extra.channelState` says how the channel stands.',
  ],
  body,
  answer: {
    success: true,
    payer: PAYER,
    transaction: `0x${'9d'.repeat(32)}`,
    network: 'eip155:84532',
    amount: '10000',
    extra: { paymentId: 'pay_7Jw3Kq9TnXv5BzRm2LdYcH', status: 'confirmed', logIndex: 1 },
  },
}

export const x402Supported: OperationReference = {
  title: 'List supported kinds',
  about: [
    'The kinds of payment that can be settled here at this moment, for both versions of x402, and the addresses that pay the fees. A network whose node is away is left out, and `erc20ApprovalGasSponsoring` where its wallet could not give now what one approval may take; that is at most 15 s old.',
  ],
  answer: {
    kinds: [
      { x402Version: 2, scheme: 'exact', network: 'eip155:84532' },
      {
        x402Version: 2,
        scheme: 'upto',
        network: 'eip155:84532',
        extra: { facilitatorAddress: SETTLER },
      },
      { x402Version: 1, scheme: 'exact', network: 'base-sepolia' },
    ],
    extensions: ['bazaar', 'payment-identifier', 'eip2612GasSponsoring'],
    signers: { 'eip155:*': [SETTLER] },
  },
}

const listed = {
  resource: 'https://api.example.com/weather',
  type: 'http',
  x402Version: 2,
  accepts: [paymentRequirements],
  lastUpdated: '2026-11-21T12:00:00.000Z',
  description: 'The weather of a city',
  mimeType: 'application/json',
  extensions: {
    bazaar: {
      info: { input: { type: 'http', method: 'GET', queryParams: { city: 'Graz' } } },
      schema: { type: 'object', properties: { input: { type: 'object' } }, required: ['input'] },
    },
  },
}

export const x402Resources: OperationReference = {
  title: 'List what can be bought',
  about: [
    'The catalogue of the extension `bazaar`: every resource that a seller offered with it and that was paid for and settled here. `client.extensions.bazaar.listResources()` of the stock packages reads it.',
    'A listing is the word of its seller. What counts is the 402 that the address itself answers.',
    'A page with large listings may have fewer than were asked for: `pagination.limit` then says how many it has, and the next begins behind them.',
  ],
  query: { type: 'http', limit: 20, offset: 0 },
  answer: {
    x402Version: 2,
    items: [listed],
    pagination: { limit: 20, offset: 0, total: 1 },
  },
}

export const x402Search: OperationReference = {
  title: 'Search what can be bought',
  about: [
    'Resources of the catalogue that have some of the words in their description, name, tags or address, best first.',
    '`pagination.cursor` of an answer continues it; null when there is no more.',
  ],
  query: { query: 'weather in a city', limit: 20 },
  answer: {
    x402Version: 2,
    resources: [listed],
    partialResults: false,
    pagination: { limit: 20, cursor: null },
  },
}

export const deleteListing: OperationReference = {
  title: 'Take a resource out of the catalogue',
  about: [
    'Deletes what this account has listed at an address, with all its methods and tools; other accounts keep theirs. 404 when it has none.',
    'The next settlement that carries the extension `bazaar` for the address lists it anew: leave the extension out of what you offer to stay unlisted.',
  ],
  query: { resource: 'https://api.example.com/weather' },
  answer: { resource: 'https://api.example.com/weather', deletedAt: 1_790_000_000_000 },
}

export const getCatalogue: OperationReference = {
  title: 'See what you have listed',
  about: [
    'Resources of this account in the catalogue, with what they cost and how often they were settled. A seller lists one by declaring the extension `bazaar` and settling a payment for it at `{base_url}/x402`.',
  ],
  answer: {
    resources: [
      {
        resource: 'https://api.example.com/weather',
        type: 'http',
        method: 'GET',
        toolName: null,
        description: 'The weather of a city',
        serviceName: null,
        prices: [
          {
            network: 'eip155:84532',
            scheme: 'exact',
            asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
            symbol: 'USDC',
            payTo: SELLER,
            amount: 0.01,
            amountBaseUnits: '10000',
          },
        ],
        settledCount: 12,
        listedAt: 1790000000000,
        lastSettledAt: 1790000360000,
      },
    ],
    maximum: 200,
  },
}

export const getSponsoring: OperationReference = {
  title: 'See what settling may cost',
  about: [
    'What settlements of this account took of the gas budget of today (UTC), per network, and the addresses that pay the fees with what they have.',
    'A settlement that would pass the budget is refused with `gas_budget_spent`; what was reserved and not used is not given back. What payers are given for approvals of theirs is not in it.',
  ],
  answer: {
    day: '2026-11-21',
    networks: [
      {
        network: 'eip155:84532',
        symbol: 'ETH',
        perDay: 0.01,
        perDayBaseUnits: '10000000000000000',
        reserved: 0.00012,
        reservedBaseUnits: '120000000000000',
        perPayerPerDayBaseUnits: '1000000000000000',
        feePayers: [
          {
            address: SETTLER,
            balance: 9.5,
            balanceBaseUnits: '9500000000000000000',
            isLow: false,
            seenAt: 1790000000000,
          },
        ],
      },
    ],
  },
}
