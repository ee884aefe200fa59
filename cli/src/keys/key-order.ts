import { PLANS, SCOPES } from '@florin/server/kernel/caller.ts'
import type { Plan, Scope } from '@florin/server/kernel/caller.ts'
import { UsageError } from '../usage-error.ts'

const SECONDS = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800, y: 31_536_000 } as const
const YEARS_MAX = 100
const SCOPES_DEFAULT: readonly Scope[] = ['read', 'write']

/** `premium` as a plan; standard when not given. */
export function planFrom(text: string | undefined): Plan {
  if (text === undefined) return 'standard'
  const plan = PLANS.find((known) => known === text)
  if (plan === undefined)
    throw new UsageError(`--plan is one of ${PLANS.join(', ')}, not "${text}"`)
  return plan
}

/** `read,write` as scopes; read and write when not given. */
export function scopesFrom(text: string | undefined): readonly Scope[] {
  if (text === undefined) return SCOPES_DEFAULT
  return text.split(',').map((name) => {
    const scope = SCOPES.find((known) => known === name.trim())
    if (scope === undefined) {
      throw new UsageError(`--scopes takes ${SCOPES.join(',')}, not "${name.trim()}"`)
    }
    return scope
  })
}

/** `30d` as the moment that long from now, in Unix milliseconds; null when not given: never. */
export function expiryFrom(text: string | undefined, nowMilliseconds: number): number | null {
  if (text === undefined) return null
  const [, count, unit] = /^([1-9][0-9]{0,8})(s|m|h|d|w|y)$/.exec(text) ?? []
  const seconds = Number(count) * (isUnit(unit) ? SECONDS[unit] : Number.NaN)
  if (!(seconds <= YEARS_MAX * SECONDS.y)) {
    throw new UsageError(`--expires is a time such as 12h, 30d or 1y, not "${text}"`)
  }
  return nowMilliseconds + seconds * 1000
}

function isUnit(text: string | undefined): text is keyof typeof SECONDS {
  return text !== undefined && Object.hasOwn(SECONDS, text)
}
