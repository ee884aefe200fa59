import { unitsOf } from '@florin/wire/x402/fields.ts'
import type { Chain } from '../chains/chain.ts'
import type { ExactAuthorization } from '../chains/exact.ts'
import type { Claim } from './claim.ts'

/**
 * The authorization behind a claim, as its chain read it once. Undefined when its asset is not configured any more: then nobody here can
 * say what became of it.
 */
export function authorizationOf(
  { proofKey, stored, validBeforeSeconds }: Claim,
  { config, parseAddress }: Pick<Chain, 'config' | 'parseAddress'>,
): ExactAuthorization | undefined {
  const asset = config.assets.find((known) => known.asset === stored['token'])
  const payer = parseAddress(stored['from'] ?? '')
  const payTo = parseAddress(stored['to'] ?? '')
  const amount = unitsOf(stored['value'])
  if (asset === undefined) return undefined
  if (payer === undefined || payTo === undefined || amount === undefined) {
    throw new Error('a stored authorization that is none')
  }
  const feePayer = stored['feePayer'] === undefined ? null : parseAddress(stored['feePayer'])
  if (feePayer === undefined) throw new Error('a stored authorization that is none')
  const onlySettler = stored['facilitator'] && parseAddress(stored['facilitator'])
  return {
    ...{ proofKey, payer, asset, payTo, amount, validBeforeSeconds, feePayer, stored },
    ...(onlySettler ? { onlySettler } : {}),
    wasJudged: true,
  }
}
