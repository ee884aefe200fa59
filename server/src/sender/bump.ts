import type { NetworkId } from '@florin/wire/network.ts'
import type { Address, Chain, SignedTransaction } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Clock } from '../kernel/clock.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { Store } from '../store/postgres.ts'
import type { Broadcaster } from './broadcast.ts'
import { lockLane } from './lane-store.ts'
import type { StoredAttempt } from './transaction-store.ts'
import { laneFronts, storeBump } from './transaction-store.ts'

export interface BumpDeps {
  readonly chain: Chain
  readonly store: Store
  readonly broadcaster: Broadcaster
  readonly clock: Clock
  readonly log: Log
  readonly killPoint: (point: KillPoint) => void
  /** The key of a lane, erased by whoever asked; undefined when this installation does not hold it any more. */
  readonly signerOf: (address: Address) => Promise<OpenSigner | undefined>
}

/** Which attempt stands at the front of each lane, and since which height: what a restart may forget. */
export type Waiting = Map<Address, { attemptId: string; sinceHeight: bigint }>

/**
 * Raises the fee of places that hold their lane up for too many blocks: same nonce, same effect, within the ceiling that
 * the ledger holds. The raised bytes are stored before they are sent, like the first ones.
 */
export async function bumpStuck(deps: BumpDeps, waiting: Waiting, height: bigint): Promise<void> {
  const { chain, store } = deps
  const { network, fees } = chain.config
  const fronts = await store.inTransaction('service', (tx) =>
    laneFronts(tx, network, limits.laneFrontsMax),
  )
  const current = new Set(fronts.map(({ laneAddress }) => laneAddress))
  for (const address of waiting.keys()) if (!current.has(address)) waiting.delete(address)
  for (const front of fronts) {
    const since = waiting.get(front.laneAddress)
    if (since?.attemptId !== front.attemptId) {
      waiting.set(front.laneAddress, { attemptId: front.attemptId, sinceHeight: height })
    } else if (height - since.sinceHeight >= BigInt(fees.bumpAfterBlocks)) {
      await bump(deps, network, front)
      waiting.delete(front.laneAddress)
    }
  }
}

async function bump(deps: BumpDeps, network: NetworkId, front: StoredAttempt): Promise<void> {
  const { chain, store, broadcaster, clock, log, killPoint, signerOf } = deps
  const terms = await chain.renew(front.terms, front.feeCeiling)
  if (terms === undefined) {
    log.warn({ network, hash: front.hash }, 'a place waits and its fee ceiling leaves no room')
    return
  }
  // Before the transaction: a remote key wrapper takes its time, and no lock waits for it.
  const signer = await signerOf(front.laneAddress)
  if (signer === undefined) return
  let signed: SignedTransaction | undefined
  try {
    signed = await store.inTransaction('service', async (tx) => {
      await lockLane(tx, network, front.laneAddress, front.nonce)
      const bumped = await chain.sign(terms, front.nonce, signer)
      const attempt = { terms, signed: bumped }
      const stored = await storeBump(tx, front, attempt, network, clock.nowMilliseconds())
      killPoint('bump.before-commit')
      return stored ? bumped : undefined
    })
  } finally {
    signer.erase()
  }
  if (signed === undefined) return
  killPoint('bump.after-commit')
  log.info({ network, hash: front.hash, raised: signed.hash }, 'fee raised')
  await broadcaster.broadcast(network, [signed])
}
