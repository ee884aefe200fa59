import type { Row } from './foreign-ids.ts'

/** The names that the facilitator and its catalogue are given. */
export const x402Ids: Readonly<Record<string, readonly Row[]>> = {
  x402Verify: [
    {
      fields: ['paymentPayload'],
      bearer: ({ x402 }) => ({ method: 'POST', path: '/x402/verify', body: x402 }),
    },
  ],
  x402Settle: [
    {
      fields: ['paymentPayload'],
      bearer: ({ x402 }) => ({ method: 'POST', path: '/x402/settle', body: x402 }),
    },
  ],
  listEscrowCalls: [
    { fields: ['operation'], open: 'a kind of call' },
    {
      fields: ['channelId', 'transaction', 'cursor'],
      status: 200,
      ask: ({ channelId, callTransaction, callCursor }) => ({
        path: `/x402/escrow-calls?channelId=${channelId}&transaction=${callTransaction}&cursor=${callCursor}`,
      }),
    },
  ],
  getEscrowCall: [
    {
      fields: ['callId'],
      status: 404,
      ask: ({ callId }) => ({ path: `/x402/escrow-calls/${callId}` }),
    },
  ],
  x402Resources: [
    { fields: ['payTo', 'scheme', 'extensions'], open: 'what sellers list is there for everybody' },
  ],
  x402Search: [
    {
      fields: ['query', 'payTo', 'scheme', 'extensions', 'cursor'],
      open: 'what sellers list is there for everybody; the cursor is a count',
    },
  ],
}
