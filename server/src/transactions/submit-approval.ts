import type { Chain, TransactionHash, Verdict } from '../chains/chain.ts'
import type { Inspected } from '../chains/self-custody.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { BuiltState } from '../sender/built-records.ts'
import type { Store } from '../store/postgres.ts'
import type { Build } from './build.ts'
import { buildsMarked } from './build-store.ts'
import { carriesCall, isSameEffect } from './same-effect.ts'
import { stateOf } from './state-of.ts'
import type { StateDeps } from './state-of.ts'

/** An allowance that its owner has signed, and the build that needs it. */
export interface SubmittedApproval {
  readonly build: Build
  readonly state: BuiltState
  readonly verdict: Verdict
}

/**
 * Sends the allowance of a build of the account, when the bytes are one; undefined when they are not. It moves nothing and is its owner's:
 * it is not stored, nobody sends it again, and the same bytes may come as often as they like.
 */
export async function submitApproval(
  { store, ...deps }: StateDeps & { readonly store: Store },
  { accountId, chain }: { readonly accountId: AccountId; readonly chain: Chain },
  bytes: Uint8Array,
  { sender, nonce }: Inspected & { readonly hash: TransactionHash | null },
): Promise<SubmittedApproval | undefined> {
  const { selfCustody, config } = chain
  if (sender === null || nonce === null || selfCustody === undefined) return undefined
  // What it is for takes the place behind it.
  const place = { sender, nonce: nonce + 1n }
  const marks = { commitments: [], proofKey: null, place }
  const found = await store.inTransaction(accountId, async (tx) => {
    const builds = await buildsMarked(tx, accountId, config.network, marks, limits.buildsPerMarkMax)
    const build = builds.find(({ sender: own, recipient, facts: { approval } }) => {
      if (approval?.unsigned?.nonce !== nonce.toString()) return false
      const built = Buffer.from(approval.transaction, 'base64')
      return (
        carriesCall(approval.unsigned, bytes) &&
        isSameEffect(selfCustody, { sender: own, recipient }, built, bytes)
      )
    })
    return build && { build, state: await stateOf(tx, deps, build) }
  })
  if (found === undefined) return undefined
  const [verdict = { kind: 'unknown', reason: 'no node was asked' } as const] =
    await chain.broadcast([bytes])
  return { ...found, verdict }
}
