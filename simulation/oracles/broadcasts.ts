import type { ModelNetwork } from '../chain/model-network.ts'
import type { HeardTransfer } from '../chain/signed-transfer.ts'
import { Broken } from '../finding.ts'
import type { Plan } from '../plan.ts'
import type { Records } from './records.ts'

/** Hears all bytes on their way to a node. */
export interface BroadcastOracle {
  judge(transfers: readonly HeardTransfer[]): Promise<readonly Broken[]>
  /** Whether the service itself has signed it. */
  isOurs(transfer: HeardTransfer): boolean
}

/**
 * What leaves is committed; a place serves one payment and a payment keeps its place; where attempts are not bound by a place, at most one
 * of them can still happen.
 */
export function openBroadcastOracle(
  { chain }: Plan,
  network: ModelNetwork,
  records: Records,
): BroadcastOracle {
  const heard = new Map<string, HeardTransfer>()
  const isDead = ({ lifetime, hash }: HeardTransfer) =>
    network.final().height > lifetime && network.tree.find(network.best(), hash) === undefined

  const isSettlement = ({ authorization, parts }: HeardTransfer) =>
    authorization !== undefined || parts !== undefined

  function judgePair(one: HeardTransfer, other: HeardTransfer): Broken | undefined {
    const isSamePlace = one.from === other.from && one.nonce === other.nonce
    // An authorization may be tried again from another place: the chain itself lets it move money once.
    const isSale = isSettlement(one) && one.mark === other.mark
    if (isSale) return undefined
    if (one.mark !== other.mark) {
      return chain === 'fee' && isSamePlace
        ? new Broken('a place serves one payment', `${one.from} ${one.nonce}`)
        : undefined
    }
    if (chain === 'fee') {
      return isSamePlace ? undefined : new Broken('a payment keeps its place', one.hash)
    }
    return isDead(one) || isDead(other)
      ? undefined
      : new Broken('a new lifetime only when the old one is over', one.hash)
  }

  return {
    isOurs: ({ hash }) => heard.has(hash),
    judge: async (transfers) => {
      const stored = await records.storedHashes(transfers.map(({ hash }) => hash))
      const broken: (Broken | undefined)[] = []
      for (const transfer of transfers) {
        if (!stored.has(transfer.hash)) {
          broken.push(new Broken('stored before it is broadcast', transfer.hash))
        }
        const others = [...heard.values()].filter(({ hash }) => hash !== transfer.hash)
        broken.push(...others.map((other) => judgePair(transfer, other)))
        heard.set(transfer.hash, transfer)
      }
      return broken.filter((each) => each !== undefined)
    },
  }
}
