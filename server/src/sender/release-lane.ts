import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { unfreezeLane } from './lane-release-store.ts'

interface Deps {
  readonly store: Pick<Store, 'inTransaction'>
  readonly chain: Chain
  readonly address: Address
  /** Runs in the transaction that changes the lane. */
  readonly noted: (tx: Tx) => Promise<void>
}

/** Lets a key sign nothing new on a network until it is released. A lane that nobody has used yet begins frozen. */
export async function stopLane(
  { store, chain, address, noted }: Deps,
  reason: string,
): Promise<void> {
  const { network } = chain.config
  const { latest } = await chain.lanePosition(address)
  await store.inTransaction('service', async (tx) => {
    await lockLane(tx, network, address, latest)
    await freezeLane(tx, network, address, reason)
    await noted(tx)
  })
}

/**
 * Lets a frozen key sign again, from where the chain is. The chain is asked before the lane is locked; a nonce that somebody uses in
 * between freezes it again at the next payment. Refuses INVALID_PARAMETERS while a transaction of ours lies below the chain's count and
 * nobody knows yet what became of it.
 */
export async function releaseLane({ store, chain, address, noted }: Deps): Promise<void> {
  const { network } = chain.config
  const { latest } = await chain.lanePosition(address)
  await store.inTransaction('service', async (tx) => {
    await lockLane(tx, network, address, latest)
    if (!(await unfreezeLane(tx, network, address, latest))) throw undecided()
    await noted(tx)
  })
}

function undecided(): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: 'A transaction of this key is not decided yet: release it when it is.',
    details: { address: 'has an open transaction that the chain has passed by' },
  })
}
