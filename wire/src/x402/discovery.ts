import Type from 'typebox'
import { BaseUnitsText, Exactly, ExactNumber, Milliseconds, Nullable, Said } from '../fields.ts'

const Text = (description: string) => Type.String({ description })
const Short = (description: string) => Type.Optional(Type.String({ maxLength: 128, description }))

/** x402 lets either side add parameters: what is not named here is ignored. */
const Open = { additionalProperties: true }

const Limit = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'How many at most.' }),
)

const filters = {
  type: Short('`http` or `mcp`.'),
  payTo: Short('Who is paid.'),
  scheme: Short('A scheme of payment, such as `exact`.'),
  network: Short('CAIP-2, or an x402 v1 name.'),
  extensions: Short('A key that `extensions` of the resource has.'),
  limit: Limit,
}

/** Query of GET /x402/discovery/resources. */
export const DiscoveryQuery = Type.Object(
  {
    ...filters,
    offset: Type.Optional(
      Type.Integer({ minimum: 0, maximum: 100_000, default: 0, description: 'How many to skip.' }),
    ),
  },
  Open,
)

/** Query of GET /x402/discovery/search. */
export const DiscoverySearch = Type.Object(
  {
    query: Type.String({ minLength: 1, maxLength: 400, description: 'What is wanted, in words.' }),
    ...filters,
    cursor: Type.Optional(
      Type.String({ pattern: '^[0-9]{1,6}$', description: 'From the answer before.' }),
    ),
  },
  Open,
)

/** A resource of the catalogue, in the shape of x402. */
export const DiscoveryItem = Exactly({
  resource: Text('Its address, without a query.'),
  type: Text('`http` or `mcp`.'),
  x402Version: Type.Integer({ minimum: 1, maximum: 2 }),
  accepts: Type.Array(Type.Record(Type.String(), Type.Unknown()), {
    description: 'What was paid lately, as the seller asked for it.',
  }),
  lastUpdated: Text('When it was settled last, ISO 8601.'),
  description: Type.Optional(Type.String()),
  mimeType: Type.Optional(Type.String()),
  serviceName: Type.Optional(Type.String()),
  tags: Type.Optional(Type.Array(Type.String())),
  iconUrl: Type.Optional(Type.String()),
  extensions: Type.Record(Type.String(), Type.Unknown()),
})

/** Answer of GET /x402/discovery/resources. */
export const DiscoveryAnswer = Exactly({
  x402Version: Type.Integer(),
  items: Type.Array(DiscoveryItem),
  pagination: Exactly({
    limit: Type.Integer(),
    offset: Type.Integer(),
    total: Type.Integer({ description: 'How many there are in all.' }),
  }),
})

/** Answer of GET /x402/discovery/search. */
export const DiscoverySearchAnswer = Exactly({
  x402Version: Type.Integer(),
  resources: Type.Array(DiscoveryItem),
  partialResults: Type.Boolean({ description: 'There are more.' }),
  pagination: Exactly({
    limit: Type.Integer(),
    cursor: Nullable(Type.String()),
  }),
})

/** What a resource costs in one way of paying. */
export const CataloguePrice = Exactly({
  network: Text('CAIP-2 id.'),
  scheme: Type.String(),
  asset: Text('Address or mint.'),
  symbol: Said('Null for an asset that is not configured any more.', Nullable(Type.String())),
  payTo: Text('Who is paid.'),
  amount: Said('In whole units; null without a configured asset.', Nullable(ExactNumber)),
  amountBaseUnits: BaseUnitsText,
})

/** A resource as its seller sees it. */
export const CatalogueResource = Exactly({
  resource: Text('Its address, without a query.'),
  type: Text('`http` or `mcp`.'),
  method: Nullable(Type.String()),
  toolName: Said('Of an MCP server.', Nullable(Type.String())),
  description: Nullable(Type.String()),
  serviceName: Nullable(Type.String()),
  prices: Type.Array(CataloguePrice),
  settledCount: Type.Integer({ minimum: 0, description: 'Payments that were settled for it.' }),
  listedAt: Said('When it was first settled.', Milliseconds),
  lastSettledAt: Milliseconds,
})

/** Query of DELETE /x402/catalogue. */
export const ListingQuery = Exactly({
  resource: Type.String({
    minLength: 1,
    maxLength: 1024,
    description: 'The address as it is listed, with all its methods and tools.',
  }),
})

/** The answer of DELETE /x402/catalogue. */
export const ListingDeleted = Exactly({
  resource: Text('Its next settlement with the extension lists it anew.'),
  deletedAt: Milliseconds,
})

/** The answer of GET /x402/catalogue. */
export const CatalogueAnswer = Exactly({
  resources: Type.Array(CatalogueResource, { description: 'Settled last first.' }),
  maximum: Type.Integer({
    description:
      'So many are kept; one more takes the place of the one that was settled longest ago.',
  }),
})
