import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { unfreezeLane } from './lane-release-store.ts'

interface Lane {
  readonly store: Pick<Store, 'inTransaction'>
  readonly chain: Chain
  readonly address: Address
}

/** Lets a key sign nothing new on a network until it is released. A lane that nobody has used yet begins frozen. */
export async function stopLane(
  {
    store,
    chain,
    address,
    noted,
  }: Lane & {
    /** Runs in the transaction that changes the lane. */
    readonly noted: (tx: Tx) => Promise<void>
  },
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
 * Lets a frozen key sign again, from where the chain is. The chain is asked before the lane is locked, for the nonce first: what somebody
 * uses behind that one freezes it again at the next payment, and what came before it is gone from the balances. Refuses
 * INVALID_PARAMETERS while a transaction of ours lies below the chain's count and nobody knows yet what became of it.
 */
export async function releaseLane({
  store,
  chain,
  address,
  noted,
}: Lane & {
  /** Runs in the transaction that changes the lane, with what the address has on chain, in the order of the network's assets. */
  readonly noted: (tx: Tx, amounts: readonly bigint[]) => Promise<void>
}): Promise<void> {
  const { network, assets } = chain.config
  const { latest } = await chain.lanePosition(address)
  const { amounts } = await chain.balances(address, assets)
  await store.inTransaction('service', async (tx) => {
    await lockLane(tx, network, address, latest)
    if (!(await unfreezeLane(tx, network, address, latest))) throw undecided()
    await noted(tx, amounts)
  })
}

function undecided(): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: 'A transaction of this key is not decided yet: release it when it is.',
    details: { address: 'has an open transaction that the chain has passed by' },
  })
}
