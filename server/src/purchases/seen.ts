import { unitsOf } from '@florin/wire/x402/fields.ts'
import type { Chain } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import type { AuthorizationUse, ExactAuthorization } from '../chains/exact.ts'
import { lookedFrom } from '../chains/looked-from.ts'
import type { OpenPurchase } from './live-store.ts'

/** What the chain shows of a purchase that it shows anything of. */
export type Seen =
  | { readonly kind: 'expired'; readonly purchase: OpenPurchase }
  | {
      readonly kind: 'used'
      readonly purchase: OpenPurchase
      readonly use: AuthorizationUse
      /** The final state of the chain shows that it is used, whatever shows by what. */
      readonly isFinal: boolean
    }

/** Undefined where nothing is shown. By what it was used is asked when it is its turn. Throws NodeFailure. */
export async function seenOf(
  chain: Chain,
  purchase: OpenPurchase,
  inTurn: <Value>(work: () => Promise<Value>) => Promise<Value>,
  stopping?: AbortSignal,
): Promise<Seen | undefined> {
  const { exact } = chain
  // Its bytes end with a block, which whoever reads blocks sees.
  if (exact === undefined || purchase.validBeforeSeconds === null) return undefined
  const authorization = authorizationOf(purchase, chain)
  // Nobody here can say what becomes of it any more, until the asset is configured again.
  if (authorization === undefined) return undefined
  const final = await exact.finalState(authorization)
  if (final === 'expired') return { kind: 'expired', purchase }
  const check = final === 'open' ? await exact.check(authorization) : undefined
  const isUsed = final === 'used' || (check?.ok === false && check.isUsed === true)
  if (!isUsed) return undefined
  const use = await inTurn(async () =>
    stopping?.aborted === true
      ? undefined
      : exact.findForeign(authorization, lookedFrom(purchase.sinceHeight, chain.config)),
  )
  return use && { kind: 'used', purchase, use, isFinal: final === 'used' }
}

/** The authorization as its chain read it once; undefined when its asset is not configured any more. */
function authorizationOf(
  { proofKey: key, stored, validBeforeSeconds }: OpenPurchase,
  { config, parseAddress }: Chain,
): ExactAuthorization | undefined {
  const asset = config.assets.find((known) => known.asset === stored['token'])
  if (asset === undefined) return undefined
  const payer = parseAddress(stored['from'] ?? '')
  const payTo = parseAddress(stored['to'] ?? '')
  const amount = unitsOf(stored['value'])
  if (payer === undefined || payTo === undefined || amount === undefined) {
    throw new Error('a stored authorization that is none')
  }
  const proof = { proofKey: proofKey(key), payer, payTo, amount, asset }
  return { ...proof, validBeforeSeconds, feePayer: null, isOurs: true, stored }
}
