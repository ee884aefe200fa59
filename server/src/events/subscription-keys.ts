import { Refusal } from '@florin/wire/errors.ts'
import { ACCOUNT_EVENTS, MARKET_EVENTS } from '@florin/wire/event-types.ts'
import type { AccountId } from '../kernel/id.ts'
import type { StreamDeps } from './stream-deps.ts'

const CHANNELS: ReadonlySet<string> = new Set([
  ...Object.values(ACCOUNT_EVENTS),
  ...Object.values(MARKET_EVENTS),
])

/**
 * The keys in their one spelling: channels, wallets and registered addresses of the account, tokens. All of them or none.
 * @throws {Refusal} NOT_FOUND naming those that are nothing of these; somebody else's address is one.
 */
export async function resolveKeys(
  { findAddresses }: Pick<StreamDeps, 'findAddresses'>,
  accountId: AccountId,
  keys: readonly string[],
): Promise<readonly string[]> {
  const addresses = keys.filter((key) => !CHANNELS.has(key))
  const found = addresses.length === 0 ? [] : await findAddresses(accountId, addresses)
  const spellings = new Map(addresses.map((address, index) => [address, found[index]]))
  const resolved: string[] = []
  const unknown: Record<string, string> = {}
  for (const [index, key] of keys.entries()) {
    const spelling = CHANNELS.has(key) ? key : spellings.get(key)
    if (spelling === undefined) unknown[`keys[${index}]`] = UNKNOWN
    else resolved.push(spelling)
  }
  if (Object.keys(unknown).length > 0) throw new Refusal('NOT_FOUND', { details: unknown })
  return resolved
}

const UNKNOWN = 'is no channel, no address of this account and no token'
