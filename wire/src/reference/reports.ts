import type { OperationReference } from './operation-reference.ts'

const volume = {
  network: 'eip155:84532',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  symbol: 'USDC',
  decimals: 6,
  payments: 42,
  sent: 12.5,
  sentBaseUnits: '12500000',
  received: 0,
  receivedBaseUnits: '0',
}
const figures = {
  payments: 42,
  succeeded: 40,
  failed: 1,
  expired: 0,
  pending: 1,
  successRate: 0.975609756097561,
  latency: { p50: 2104, p95: 3890 },
  volume: [volume],
}

export const getOverview: OperationReference = {
  title: 'Overview',
  about: [
    'What became of the payments that the account created in the last hour, by the minute, in the last 24 hours, by the hour, or in the last 30 days, by the day in UTC. `latency` is the time from created to confirmed, without plain deposits, and at most 5 % above what it really was.',
    '`attention` names what a person should look at: networks that are stopped or not followed, payments that wait for longer than a minute, paused webhooks, wallets that cannot pay for ten more transfers, and budgets of which less than a tenth is left.',
    'An hour and a day are read at most once in 5 seconds, a month at most once a minute; `asOf` says when.',
  ],
  query: { period: 'day' },
  answer: {
    period: 'day',
    from: 1789916400000,
    to: 1790002800000,
    totals: figures,
    buckets: [{ from: 1789999200000, ...figures }],
    attention: [
      {
        kind: 'webhook_paused',
        webhookId: 'whk_4sDfGh7jKl9pQwErTyUx2b',
        url: 'https://shop.example/florin',
        since: 1789990000000,
        reason: 'failing',
      },
    ],
    asOf: 1790000000000,
  },
}

export const getUsage: OperationReference = {
  title: 'Usage',
  about: [
    'The plan, what it allows, and what was used of it. Each key has a window of a minute of its own; `used` is what the instance that answers has counted in it.',
    '`days` counts requests that were let in. Instances write their counts down every few seconds.',
  ],
  answer: {
    plan: 'standard',
    limits: {
      requestsPerMinute: 100,
      keys: 20,
      wallets: 1000,
      receivingAddresses: 1000,
      webhooks: 5,
      eventSockets: 5,
      socketMessagesPerSecond: 50,
    },
    keys: [
      {
        keyId: 'key_2bQmWx7RtYp9sKdVfGhJ3n',
        name: 'server',
        lastFour: 'x7Qf',
        plan: 'standard',
        requestsPerMinute: 100,
        used: 12,
        resetsAt: 1790000031000,
      },
    ],
    days: [{ day: '2026-09-21', requests: 1834 }],
  },
}
