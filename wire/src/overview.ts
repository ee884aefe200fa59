import Type from 'typebox'
import { BaseUnitsText, Exactly, ExactNumber, Milliseconds, Nullable, Said } from './fields.ts'

/** What an overview looks back on: an hour by the minute, 24 hours by the hour, or 30 days by the day. */
export const PERIODS = ['hour', 'day', 'month'] as const
export type Period = (typeof PERIODS)[number]

const Text = (description: string) => Type.String({ description })
const Count = (description: string) => Type.Integer({ minimum: 0, description })

/** The query of GET /overview. */
export const OverviewQuery = Exactly({
  period: Type.Optional(
    Type.Enum(PERIODS, {
      default: 'day',
      description:
        '`hour`: 60 minutes by the minute. `day`: 24 hours by the hour. `month`: 30 days by the day, in UTC.',
    }),
  ),
})

/** What moved of one asset: payments that are confirmed or settled. */
export const AssetVolume = Exactly({
  network: Text('CAIP-2 id.'),
  asset: Text('`native`, or the address or mint of the token.'),
  symbol: Said('What people call it; null when it is configured no more.', Nullable(Type.String())),
  decimals: Type.Integer({ minimum: 0, description: 'Fraction digits of a whole unit.' }),
  payments: Count('How many payments of this asset, whatever became of them.'),
  sent: Said('What went out, whole units.', ExactNumber),
  sentBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  received: Said('What came in, whole units.', ExactNumber),
  receivedBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
})

const figures = {
  payments: Count('All that were created in this time.'),
  succeeded: Count('Confirmed or settled.'),
  failed: Count('Their money provably did not move.'),
  expired: Count('Never signed or never used, and now too late.'),
  pending: Count('Not decided yet.'),
  successRate: Said(
    'Succeeded of succeeded and failed, from 0 to 1; null when there is neither.',
    Nullable(Type.Number({ minimum: 0, maximum: 1 })),
  ),
  latency: Said(
    'From created to confirmed, without plain deposits; null when nothing was confirmed.',
    Nullable(
      Exactly({
        p50: Said('Half of them took at most this, milliseconds.', Type.Integer({ minimum: 0 })),
        p95: Said('19 of 20 took at most this, milliseconds.', Type.Integer({ minimum: 0 })),
      }),
    ),
  ),
  volume: Type.Array(AssetVolume, {
    description: 'One entry per asset that anything happened in.',
  }),
}

/** Something that a person should look at, the most urgent kind first. */
export const Attention = Type.Union([
  Exactly({
    kind: Type.Literal('network_failing'),
    network: Text('CAIP-2 id.'),
    reason: Type.Enum(['halted', 'not_followed'], {
      description:
        '`halted`: stopped until an operator has looked. `not_followed`: no node answers.',
    }),
  }),
  Exactly({
    kind: Type.Literal('payments_pending'),
    count: Count('Payments that wait for longer than a minute, 1,000 at most.'),
    paymentId: Text('The oldest of them.'),
    since: Milliseconds,
  }),
  Exactly({
    kind: Type.Literal('webhook_paused'),
    webhookId: Text('Nothing is sent to it until it is resumed.'),
    url: Text('Its address.'),
    since: Milliseconds,
    reason: Type.Enum(['failing', 'gone'], { description: 'Why it was paused.' }),
  }),
  Exactly({
    kind: Type.Literal('wallet_low'),
    address: Text('A wallet that has paid before.'),
    network: Text('CAIP-2 id.'),
    asset: Type.Literal('native', { description: 'What the network takes its fees in.' }),
    available: Said('What is left to spend, whole units.', ExactNumber),
    availableBaseUnits: Said('The same in the smallest unit.', BaseUnitsText),
  }),
  Exactly({
    kind: Type.Literal('budget_low'),
    address: Text('A wallet whose policy leaves less than a tenth.'),
    network: Text('CAIP-2 id.'),
    asset: Text('`native`, or the address or mint of the token.'),
    rule: Type.Enum(['perHour', 'perDay', 'perMonth'], { description: 'Which limit.' }),
    allowed: Said('What it allows, whole units.', ExactNumber),
    left: Said('What is left of it, whole units.', ExactNumber),
  }),
])

/** The answer of GET /overview. */
export const Overview = Exactly({
  period: Type.Enum(PERIODS),
  from: Milliseconds,
  to: Milliseconds,
  totals: Exactly(figures),
  buckets: Type.Array(Exactly({ from: Milliseconds, ...figures }), {
    description: 'Oldest first, without gaps; the last one is still running.',
  }),
  attention: Type.Array(Attention, { description: 'What to look at; empty when all is well.' }),
  asOf: Said('When the figures were read; a month is read at most once a minute.', Milliseconds),
})

/** The answer of GET /usage. */
export const Usage = Exactly({
  plan: Type.Enum(['standard', 'premium', 'enterprise'], {
    description: 'The best plan that a key of the account has; of the account when it has none.',
  }),
  limits: Exactly({
    requestsPerMinute: Said('Of each key; null when unlimited.', Nullable(Type.Integer())),
    keys: Count('Keys at once.'),
    wallets: Count('Wallets at once.'),
    receivingAddresses: Count('Registered addresses at once.'),
    webhooks: Count('Webhooks at once.'),
    eventSockets: Said('Open sockets; null when unlimited.', Nullable(Type.Integer())),
    socketMessagesPerSecond: Said('Of all sockets; null when unlimited.', Nullable(Type.Integer())),
  }),
  keys: Type.Array(
    Exactly({
      keyId: Text('Name of the key.'),
      name: Text('What it is for.'),
      lastFour: Text('The end of the key.'),
      plan: Type.Enum(['standard', 'premium', 'enterprise']),
      requestsPerMinute: Said('Its limit; null when unlimited.', Nullable(Type.Integer())),
      used: Count('Requests in its window now, as the instance that answers knows it.'),
      resetsAt: Said('When that window ends; null when none is open.', Nullable(Milliseconds)),
    }),
    { description: 'Every live key, oldest first.' },
  ),
  days: Type.Array(
    Exactly({
      day: Type.String({ description: 'In UTC, such as 2026-09-21.' }),
      requests: Count('Requests that were let in.'),
    }),
    { description: 'The last 30 days, oldest first, today last; a few seconds behind.' },
  ),
})
