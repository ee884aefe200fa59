import Type from 'typebox'
import type { Static } from 'typebox'
import { Check } from 'typebox/value'
import type { NetworkId } from '@florin/wire/network.ts'
import { parseNetworkId } from '@florin/wire/network.ts'

/** The amounts that one rule may bound, from the narrowest. */
export const AMOUNT_RULES = ['perPayment', 'perHour', 'perDay', 'perMonth'] as const
export type AmountRule = (typeof AMOUNT_RULES)[number]

/** What a wallet may spend of one asset on one network. Base units; a rule that is left out bounds nothing. */
export interface AssetLimit extends Readonly<Partial<Record<AmountRule, bigint>>> {
  readonly network: NetworkId
  /** `native`, or the token's canonical address. */
  readonly asset: string
  readonly decimals: number
}

/**
 * A wallet's spending policy. With limits given, an asset without an entry may not be spent at all: what nobody
 * thought of is refused. Lists that are null allow everybody; an empty list allows nobody.
 */
export interface PolicyRules {
  readonly limits: readonly AssetLimit[]
  /** Canonical addresses. */
  readonly recipients: readonly string[] | null
  /** Serialised URLs: an origin, or an origin and the start of a path. */
  readonly resources: readonly string[] | null
}

const Units = Type.Optional(Type.String({ pattern: '^(0|[1-9][0-9]{0,77})$' }))

/** How rules lie in the database: base units as text, because JSON numbers are floats to most readers. */
const StoredRules = Type.Object({
  limits: Type.Array(
    Type.Object({
      network: Type.String(),
      asset: Type.String(),
      decimals: Type.Integer({ minimum: 0, maximum: 36 }),
      perPayment: Units,
      perHour: Units,
      perDay: Units,
      perMonth: Units,
    }),
  ),
  recipients: Type.Union([Type.Array(Type.String()), Type.Null()]),
  resources: Type.Union([Type.Array(Type.String()), Type.Null()]),
})

/** Reads rules that the database holds. Throws when they are not readable: a policy that cannot be read allows nothing. */
export function parseStoredRules(value: unknown): PolicyRules {
  if (!Check(StoredRules, value)) throw new Error('a stored policy is not readable')
  return { ...value, limits: value.limits.map(toLimit) }
}

/** The text for the database. */
export function storedRules(rules: PolicyRules): string {
  return JSON.stringify(rules, (_, value: unknown) =>
    typeof value === 'bigint' ? value.toString() : value,
  )
}

/** Whether the rules forbid anything at all. */
export function isEmpty({ limits, recipients, resources }: PolicyRules): boolean {
  return limits.length === 0 && recipients === null && resources === null
}

function toLimit(stored: Static<typeof StoredRules>['limits'][number]): AssetLimit {
  const network = parseNetworkId(stored.network)
  if (network === undefined) throw new Error('a stored policy names no network')
  const amounts: Partial<Record<AmountRule, bigint>> = {}
  for (const rule of AMOUNT_RULES) {
    const text = stored[rule]
    if (text !== undefined) amounts[rule] = BigInt(text)
  }
  return { network, asset: stored.asset, decimals: stored.decimals, ...amounts }
}
