import { formatAmount } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import { allowsResource } from './resource-rule.ts'
import type { AmountRule, AssetLimit, PolicyRules } from './rules.ts'

export type WindowRule = Exclude<AmountRule, 'perPayment'>

/** Rolling windows that end now, not calendar ones: a budget never doubles at midnight. A month is 30 days. */
export const WINDOW_SECONDS = {
  perHour: 3_600,
  perDay: 24 * 3_600,
  perMonth: 30 * 24 * 3_600,
} as const satisfies Record<WindowRule, number>

/** The widest window that an entry limits; 0 where it limits none. */
export function widestSeconds(limit: AssetLimit): number {
  const limited = (rule: WindowRule) => (limit[rule] === undefined ? 0 : WINDOW_SECONDS[rule])
  return Math.max(limited('perHour'), limited('perDay'), limited('perMonth'))
}

/** What was reserved of one asset within each window and not given back. Base units, network fees not included. */
export type Spent = Readonly<Record<WindowRule, bigint>>

export const NOTHING_SPENT: Spent = { perHour: 0n, perDay: 0n, perMonth: 0n }

/** A payment that asks for its budget. */
export interface SpendRequest {
  readonly network: NetworkId
  readonly asset: string
  readonly amount: bigint
  /** Canonical address. */
  readonly recipient: string
  readonly resource: string | null
}

/** Why not, in words that a caller may see: amounts in whole units of the asset. */
export type PolicyRefusal =
  | { readonly rule: 'recipients' | 'resources' | 'limits' }
  | { readonly rule: AmountRule; readonly limit: string; readonly left: string }

/** Whether the rules allow a payment after what was spent; undefined is yes. The narrowest broken rule is named. */
export function decide(
  rules: PolicyRules,
  spent: Spent,
  request: SpendRequest,
): PolicyRefusal | undefined {
  const { recipients, resources } = rules
  if (recipients !== null && !recipients.includes(request.recipient)) return { rule: 'recipients' }
  if (resources !== null && !allowsAny(resources, request.resource)) return { rule: 'resources' }
  if (rules.limits.length === 0) return undefined
  const limit = limitFor(rules, request.network, request.asset)
  if (limit === undefined) return { rule: 'limits' }
  return (
    exceeded(limit, 'perPayment', 0n, request.amount) ??
    exceeded(limit, 'perHour', spent.perHour, request.amount) ??
    exceeded(limit, 'perDay', spent.perDay, request.amount) ??
    exceeded(limit, 'perMonth', spent.perMonth, request.amount)
  )
}

/** The entry for one asset of one network, if there is one. */
function limitFor(rules: PolicyRules, network: NetworkId, asset: string): AssetLimit | undefined {
  return rules.limits.find((limit) => limit.network === network && limit.asset === asset)
}

function allowsAny(resources: readonly string[], resource: string | null): boolean {
  return resource !== null && resources.some((rule) => allowsResource(rule, resource))
}

function exceeded(
  entry: AssetLimit,
  rule: AmountRule,
  spent: bigint,
  amount: bigint,
): PolicyRefusal | undefined {
  const limit = entry[rule]
  if (limit === undefined || spent + amount <= limit) return undefined
  // A policy that was tightened may stand below what is spent already.
  const left = limit > spent ? limit - spent : 0n
  return {
    rule,
    limit: formatAmount(limit, entry.decimals),
    left: formatAmount(left, entry.decimals),
  }
}
