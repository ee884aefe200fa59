import { isSolanaAddress } from '@florin/wire/address.ts'
import { parseNetworkId } from '@florin/wire/network.ts'
import * as programs from './chains/solana/programs.ts'
import { VENUE_API } from './chains/solana/venue-module.ts'
import type { VenueModule } from './chains/solana/venue-module.ts'

export type ReadModule =
  | { readonly ok: true; readonly module: VenueModule }
  | { readonly ok: false; readonly problem: string }

/** Names in the networks file that are markets of our own, or how a module is said to be one. */
const TAKEN = ['uniswap-v2', 'uniswap-v3', 'rfq', 'jupiter', 'module']
const OUR_PROGRAMS: ReadonlySet<string> = new Set(
  Object.values(programs).flatMap((each) => (typeof each === 'string' ? [each] : [...each])),
)
const NAME = /^[a-z][a-z0-9-]{0,31}$/

/** Reads what a package that an operator listed exports; a problem goes behind the package's name. */
export function readVenueModule(exported: unknown): ReadModule {
  const found = fieldOf(exported, 'venue')
  if (found === undefined) return { ok: false, problem: 'exports no "venue"' }
  const api = fieldOf(found, 'api')
  if (api !== VENUE_API) {
    const given = typeof api === 'number' ? String(api) : 'none'
    return { ok: false, problem: `is written for version ${given}; this is version ${VENUE_API}` }
  }
  const name = fieldOf(found, 'name')
  if (typeof name === 'string' && TAKEN.includes(name)) {
    return { ok: false, problem: `takes the name "${name}", which is one of our own` }
  }
  if (!isModule(found)) return { ok: false, problem: 'exports a "venue" that is none' }
  return OUR_PROGRAMS.has(found.program)
    ? { ok: false, problem: `takes the program ${found.program}, which is known here` }
    : { ok: true, module: found }
}

function isModule(value: unknown): value is VenueModule {
  const [name, networks, program] = ['name', 'networks', 'program'].map((key) =>
    fieldOf(value, key),
  )
  return (
    typeof name === 'string' &&
    NAME.test(name) &&
    Array.isArray(networks) &&
    networks.length > 0 &&
    networks.every((each) => typeof each === 'string' && parseNetworkId(each) !== undefined) &&
    typeof program === 'string' &&
    isSolanaAddress(program) &&
    typeof fieldOf(value, 'open') === 'function'
  )
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([name]) => name === key)?.[1]
}
