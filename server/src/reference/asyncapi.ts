import { ACCOUNT_EVENTS, MARKET_EVENTS } from '@florin/wire/event-types.ts'
import { eventData } from '@florin/wire/event-data.ts'
import { AccountEvent, clientMessages, MarketEvent } from '@florin/wire/events.ts'
import { marketEventData } from '@florin/wire/market-event-data.ts'
import { serviceMessages } from '@florin/wire/socket-messages.ts'
import type { TObject } from 'typebox'
import { limits } from '../kernel/limits.ts'
import { toJsonSchema } from './json-schema.ts'
import type { JsonSchema } from './json-schema.ts'
import { API_VERSION } from './openapi.ts'

/** The WebSocket as an AsyncAPI 3.0 document, from the schemas that the service itself reads and writes by. */
export function asyncApiDocument(baseUrl: string) {
  const url = new URL(baseUrl)
  const schemas = allSchemas()
  const fromClient = Object.keys(clientMessages)
  const fromService = [
    ...Object.keys(ACCOUNT_EVENTS),
    ...Object.keys(MARKET_EVENTS),
    ...Object.keys(serviceMessages),
  ]
  const messages = Object.fromEntries([
    ...fromClient.map((name) => [`client.${name}`, messageOf(`client.${name}`)] as const),
    ...fromService.map((name) => [`service.${name}`, messageOf(`service.${name}`)] as const),
  ])
  const channel = { $ref: '#/channels/events' }
  const inChannel = (name: string) => ({ $ref: `#/channels/events/messages/${name}` })
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Florin events',
      version: API_VERSION,
      description: DESCRIPTION,
      license: { name: 'Apache-2.0' },
      externalDocs: { url: `${baseUrl}/docs` },
    },
    defaultContentType: 'application/json',
    servers: {
      here: {
        host: url.host,
        pathname: url.pathname === '/' ? '/api' : `${url.pathname}/api`,
        protocol: url.protocol === 'https:' ? 'wss' : 'ws',
        security: [{ $ref: '#/components/securitySchemes/apiKey' }],
      },
    },
    channels: {
      events: {
        address: '/data',
        title: 'Events of the account',
        description: `Also at /data without /api. Keys: ${[...Object.values(ACCOUNT_EVENTS), ...Object.values(MARKET_EVENTS)].join(', ')}, an address of the account, a token.`,
        messages: Object.fromEntries(
          Object.keys(messages).map((name) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
        bindings: {
          ws: {
            method: 'GET',
            query: {
              type: 'object',
              properties: {
                ticket: { type: 'string', description: 'Of POST /events/ticket; never a key.' },
              },
            },
            bindingVersion: '0.1.0',
          },
        },
      },
    },
    operations: {
      say: {
        action: 'receive',
        channel,
        summary: 'What a client may say',
        messages: fromClient.map((name) => inChannel(`client.${name}`)),
      },
      hear: {
        action: 'send',
        channel,
        summary: 'What the service says',
        messages: fromService.map((name) => inChannel(`service.${name}`)),
      },
    },
    components: {
      messages,
      schemas,
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'At the upgrade; or an authenticate message; or a ticket.',
        },
      },
    },
  }
}

function allSchemas(): Readonly<Record<string, JsonSchema>> {
  return Object.fromEntries<JsonSchema>([
    ...Object.entries(clientMessages).map(
      ([name, schema]) => [`client.${name}`, toJsonSchema(schema, { open: false })] as const,
    ),
    ...Object.entries(serviceMessages).map(
      ([name, schema]) => [`service.${name}`, toJsonSchema(schema, { open: true })] as const,
    ),
    ...eventSchemas(AccountEvent, eventData),
    ...eventSchemas(MarketEvent, marketEventData),
  ])
}

function eventSchemas(shape: TObject, data: Readonly<Record<string, TObject>>) {
  const event = toJsonSchema(shape, { open: true })
  return Object.entries(data).map(
    ([name, schema]) =>
      [
        `service.${name}`,
        {
          ...event,
          properties: {
            ...event.properties,
            type: { const: name },
            data: toJsonSchema(schema, { open: true }),
          },
        },
      ] as const,
  )
}

function messageOf(name: string) {
  const title = name.slice(name.indexOf('.') + 1)
  return { name: title, title, payload: { $ref: `#/components/schemas/${name}` } }
}

const DESCRIPTION = [
  'Events of one account reach their reader at least once, in order and without a gap: `sequence` is 1, 2, 3 and so on over all of them.',
  `A reader that comes back says \`after\` with the id of its last event and is given what it missed, for ${limits.eventDays} days.`,
  `Market events (${Object.values(MARKET_EVENTS).join(', ')}, or the address of a token) carry no sequence and are not given again. A slow reader gets the newest price of each token, and of trades the newest ${limits.marketTradesWaitingMax}. A trade whose block the chain left comes again with \`retracted: true\`.`,
  'Close codes: 4401 not authenticated in time, or the key is gone; 4408 too far behind, the reason is `cursor=<event id>` to go on after; 4429 too many sockets or messages; 1012 the service restarts.',
].join('\n\n')
