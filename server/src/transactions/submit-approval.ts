import type { Inspected, SelfCustody } from '../chains/self-custody.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Build } from './build.ts'
import { buildsNeeding } from './build-store.ts'
import { carriesCall, isSameEffect } from './same-effect.ts'

/** The build of the account whose allowance these signed bytes are; undefined when they are none. */
export async function approvedBuild(
  tx: Tx,
  { accountId, network }: Pick<Build, 'accountId' | 'network'>,
  selfCustody: SelfCustody,
  bytes: Uint8Array,
  { sender, nonce }: Pick<Inspected, 'sender' | 'nonce'>,
): Promise<Build | undefined> {
  if (sender === null || nonce === null) return undefined
  // What it is for takes the next place behind it that no other build had.
  const most = { places: limits.approvalPlacesMax, perPlace: limits.buildsPerMarkMax }
  const builds = await buildsNeeding(tx, accountId, network, { sender, nonce }, most)
  return builds.find(({ sender: own, recipient, facts: { approval } }) => {
    if (!approval?.unsigned) return false
    const built = Buffer.from(approval.transaction, 'base64')
    return (
      carriesCall(approval.unsigned, bytes) &&
      isSameEffect(selfCustody, { sender: own, recipient }, built, bytes)
    )
  })
}
