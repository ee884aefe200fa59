import { SETTINGS } from '@florin/server/settings.ts'
import type { Environment } from '@florin/server/data-directory.ts'
import { nearestName } from './nearest-name.ts'

const OURS = 'FLORIN_'
/** The name at the head of what .env may make a name of, as in `FLORIN_KEY 8d1f...=`: the rest may be a secret. */
const NAME = /^FLORIN_\w*/
/** Beside the service's: those of callers, of `florin env`, and of examples in the guides, by the name after `FLORIN_`. */
const OF_CALLERS = [
  'BASE_URL',
  'API_KEY',
  'API_KEY_STANDARD',
  'API_KEY_PREMIUM',
  'API_KEY_ENTERPRISE',
  'EVM_NETWORK',
  'EVM_RPC_URL',
  'EVM_USDC',
  'SOLANA_NETWORK',
  'SOLANA_RPC_URL',
  'SOLANA_WS_URL',
  'SOLANA_USDC',
  'FAUCET_URL',
  'WEBHOOK_SECRET',
]
/** Wallets of the sandbox by number; what our programs and tests set for each other. */
const FAMILIES =
  /^(?:WALLET_(?:EVM|SOLANA)_[0-9]+|LAUNCHER_FD|SEED|(?:TEST|CI|SIMULATION)_[A-Z_]+)$/
const WRITTEN: ReadonlyMap<string, string> = new Map([
  // DATABASE_URL and REDIS_URL have no prefix, and are often given one.
  ...SETTINGS.map((name) => [name.replace(OURS, ''), name] as const),
  ...OF_CALLERS.map((rest) => [rest, `${OURS}${rest}`] as const),
])
const TOLD_MAX = 20

/**
 * A sentence for each variable with our prefix that is not empty and that nothing here reads, with what may have been meant. Never a
 * value. What withoutServiceLinks leaves out is not to be told.
 */
export function unknownSettings(environment: Environment): readonly string[] {
  const told = Object.entries(environment)
    .filter(([name, value]) => name.startsWith(OURS) && (value?.trim() ?? '') !== '')
    .flatMap(([name]) => sentenceOf(name) ?? [])
  if (told.length <= TOLD_MAX) return told
  return [...told.slice(0, TOLD_MAX), `and ${told.length - TOLD_MAX} more like this.`]
}

function sentenceOf(given: string): string | undefined {
  const name = NAME.exec(given)?.[0] ?? OURS
  if (name !== given) return `What begins with "${name}" is not NAME=value, and is ignored.`
  const rest = name.slice(OURS.length)
  if (WRITTEN.get(rest) === name || FAMILIES.test(rest)) return undefined
  const meant = WRITTEN.get(nearestName(rest, [...WRITTEN.keys()]) ?? '')
  const what = `${name} is no setting of this version, and is ignored.`
  return meant === undefined
    ? `${what} .env.example names them all.`
    : `${what} Did you mean ${meant}?`
}
