/** The server's rooms by rank. A room imports itself and lower ranks, never a neighbour. */
const RANKS: readonly (readonly string[])[] = [
  ['kernel'],
  ['store', 'http', 'chains', 'metrics', 'outbound'],
  [
    'custody',
    'ledger',
    'events',
    'idempotency',
    'access',
    'policies',
    'reference',
    'dashboard',
    'audit',
  ],
  ['sender', 'people', 'markets', 'catalogue'],
  ['facilitator', 'tokens', 'prices'],
  ['payments', 'transactions', 'trading', 'wallets', 'networks', 'webhooks', 'portfolio'],
  ['purchases', 'reports', 'operators'],
]
/** Where the rooms are put together: these know everyone, and each other. */
const TOP = {
  room: 'composition',
  rank: RANKS.length,
  names: ['doctor'],
}

/** What each part of the repository may import of the others. Parts that are not listed are free: they only test. */
export const PARTS: Readonly<Record<string, readonly string[]>> = {
  wire: [],
  sdk: [],
  examples: ['sdk'],
  sandbox: [],
  server: ['wire'],
  dashboard: ['wire'],
  cli: ['server', 'sandbox', 'wire', 'sdk', 'bin', 'dashboard'],
  bin: [],
}

/** Packages of others that only some places may import, each place a path prefix. */
export const FENCED: Readonly<Record<string, readonly string[]>> = {
  viem: ['server/src/chains/', 'sandbox/', 'examples/'],
  '@solana/kit': ['server/src/chains/', 'sandbox/', 'examples/'],
  pg: ['server/src/store/'],
  ioredis: ['server/src/store/'],
  fastify: ['server/src/http/'],
  '@simplewebauthn/server': ['server/src/people/'],
  'prom-client': ['server/src/metrics/'],
  '@modelcontextprotocol/server': ['cli/src/mcp/'],
}

export interface Room {
  readonly room: string
  /** Undefined when the room has no row in the table. */
  readonly rank: number | undefined
}

/** The room of a file of the server, undefined elsewhere. Files at the top of server/src belong to the composition. */
export function roomOf(path: string): Room | undefined {
  const [, name, rest] = /^server\/src\/([^/]+)(\/.*)?$/.exec(path) ?? []
  if (name === undefined) return undefined
  if (rest === undefined || TOP.names.includes(name)) return TOP
  const rank = RANKS.findIndex((rooms) => rooms.includes(name))
  return { room: name, rank: rank === -1 ? undefined : rank }
}
