import type { OperationReference } from './operation-reference.ts'

const CALL_ID = 'esc_9RtWzA3nD7Qm4uVb2xYpKe'

const call = {
  callId: CALL_ID,
  operation: 'claim',
  status: 'confirmed',
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  amountBaseUnits: '42000',
  claimedBaseUnits: null,
  payer: null,
  payTo: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  channelId: null,
  channelCount: 2,
  transaction: `0x${'9d'.repeat(32)}`,
  amount: 0.042,
  claimedAmount: null,
  blockHeight: 22_334_455,
  fee: 0.0000021,
  createdAt: 1_790_000_000_000,
  confirmedAt: 1_790_000_002_000,
  settledAt: null,
}

export const listEscrowCalls: OperationReference = {
  title: 'List calls to the escrow',
  about: [
    'Deposits, claims, settlements and refunds of the scheme `batch-settlement` that this account had sent, newest first. Each has its record from the moment that it is signed, whether or not its answer arrived.',
    '`amount` is what a block shows: what came into the channel, what was counted for receivers, what a receiver was sent, or what a payer got back. Vouchers between them are known to the server of the seller only.',
    'With `channelId` it is what happened to one channel through this service. The payer can also deposit and withdraw without it.',
  ],
  query: { operation: 'claim', limit: 20 },
  answer: { calls: [call], hasMore: false, nextCursor: null },
}

export const getEscrowCall: OperationReference = {
  title: 'Read a call to the escrow',
  about: [
    'One deposit, claim, settlement or refund, and all its channels and receivers. `callId` is in the list and in events of the type `escrowCall`.',
  ],
  params: { callId: CALL_ID },
  answer: {
    ...call,
    receivers: [call.payTo],
    channelIds: [`0x${'a7'.repeat(32)}`, `0x${'b8'.repeat(32)}`],
  },
}
