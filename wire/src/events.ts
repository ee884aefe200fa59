import Type from 'typebox'
import { bare } from './endpoint.ts'
import type { Endpoint } from './endpoint.ts'
import { ACCOUNT_EVENTS, MARKET_EVENTS } from './event-types.ts'
import type {
  AccountChannel,
  AccountEventType,
  MarketChannel,
  MarketEventType,
} from './event-types.ts'
import { Exactly, Milliseconds, Said, SentObject } from './fields.ts'

const typeNames = Object.keys(ACCOUNT_EVENTS).filter(
  (name): name is AccountEventType => name in ACCOUNT_EVENTS,
)
const channelNames: readonly AccountChannel[] = Object.values(ACCOUNT_EVENTS)

const marketTypes = Object.keys(MARKET_EVENTS).filter(
  (name): name is MarketEventType => name in MARKET_EVENTS,
)
const marketChannels: readonly MarketChannel[] = Object.values(MARKET_EVENTS)

export const EventIdText = Type.String({ pattern: '^evt_[1-9A-HJ-NP-Za-km-z]{22}$' })

/** One event of an account, the same object on every way of delivery. */
export const AccountEvent = Exactly({
  id: Said('Names this event for ever: what comes twice has the same.', EventIdText),
  type: Type.Enum(typeNames, { description: 'What `data` tells of.' }),
  channel: Type.Enum(channelNames, { description: 'The key that it is subscribed by.' }),
  sequence: Type.Integer({
    minimum: 1,
    description:
      '1, 2, 3 and so on over all events of the account: a missing number is a missed event.',
  }),
  data: Said('What happened; `sandbox: true` when no real money moved.', SentObject),
  timestamp: Said('When it became true, Unix milliseconds.', Milliseconds),
})

/** One event of a market. It has no number, and nobody is given it again. */
export const MarketEvent = Exactly({
  id: Said('Names this event for ever.', EventIdText),
  type: Type.Enum(marketTypes, { description: 'What `data` tells of.' }),
  channel: Type.Enum(marketChannels, { description: 'The key that it is subscribed by.' }),
  data: Said('What happened, to everybody who listens.', SentObject),
  timestamp: Said('When it was said, Unix milliseconds.', Milliseconds),
})

/** One event of a stream: of the account, or of a market, which has no `sequence`. */
export const StreamedEvent = Exactly({
  ...AccountEvent.properties,
  type: Type.Enum([...typeNames, ...marketTypes], { description: 'What `data` tells of.' }),
  channel: Type.Enum([...channelNames, ...marketChannels], {
    description: 'The key that it is subscribed by.',
  }),
  sequence: Type.Optional(
    Type.Integer({
      minimum: 1,
      description:
        '1, 2, 3 and so on over all events of the account: a missing number is a missed event. Left out of an event of a market.',
    }),
  ),
})

export const EventsQuery = Exactly({
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The id of the last event that you have; left out, the oldest that is kept.',
    }),
  ),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 500, default: 100, description: 'Events on a page.' }),
  ),
  last: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 500,
      description: 'Begins so many events before the newest; not together with `after`.',
    }),
  ),
})

export const EventsAnswer = Exactly({
  events: Type.Array(AccountEvent, { description: 'In order, oldest first.' }),
  hasMore: Type.Boolean({ description: 'Whether another page follows now.' }),
  nextAfter: Said(
    'The `after` of the next page: the last event of this one, or what was asked for. Null before the first event.',
    Type.Union([EventIdText, Type.Null()]),
  ),
})

export const TicketAnswer = Exactly({
  ticket: Type.String({
    description:
      'Opens one WebSocket, once: `?ticket=` in its address, or in an `authenticate` message.',
  }),
  expiresAt: Said('Unix milliseconds, 30 s from now.', Milliseconds),
})

const read = { scope: 'read', plan: 'standard' } as const

/** As many keys as a message of the socket may name, each of their length, with commas between them. */
const STREAM_KEYS_CHARACTERS_MAX = 100 * (128 + 1) - 1

/** GET /events/stream. */
export const EventStreamQuery = Exactly({
  keys: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: STREAM_KEYS_CHARACTERS_MAX,
      description:
        'Channels, addresses of the account, and tokens, with commas between them; left out, every channel of the account.',
    }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'The id of the last event that you have: what was missed comes first. A header `Last-Event-ID` counts instead of it. Left out, what happens from now on.',
    }),
  ),
})

/** GET /events/stream: the same events as server-sent events. It has no end, so it stands beside the endpoint table. */
export const eventStream = {
  ...bare,
  id: 'eventStream',
  method: 'GET',
  path: '/events/stream',
  summary: 'Events as they happen, as server-sent events',
  needs: read,
  query: EventStreamQuery,
  answer: StreamedEvent,
  foreignShape: true,
  stream: true,
  fails: ['NOT_FOUND', 'CONNECTION_LIMIT'],
} as const satisfies Endpoint

const Keys = Type.Array(Type.String({ minLength: 1, maxLength: 128 }), {
  minItems: 1,
  maxItems: 100,
  description: 'Channels, addresses of the account, and tokens.',
})

/** What a client may say on the socket, by its method. */
export const clientMessages = {
  authenticate: Exactly({
    method: Type.Literal('authenticate'),
    apiKey: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 256,
        description: 'An API key. Exactly one of the two.',
      }),
    ),
    ticket: Type.Optional(
      Type.String({ minLength: 1, maxLength: 256, description: 'Of POST /events/ticket.' }),
    ),
  }),
  subscribe: Exactly({
    method: Type.Literal('subscribe'),
    keys: Keys,
    after: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'The id of the last event that you have: what was missed comes first.',
      }),
    ),
  }),
  unsubscribe: Exactly({ method: Type.Literal('unsubscribe'), keys: Keys }),
  ping: Exactly({ method: Type.Literal('ping') }),
} as const
