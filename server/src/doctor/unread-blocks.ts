import { NodeFailure } from '../chains/chain.ts'
import type { Block, Chain } from '../chains/chain.ts'
import type { Seen, Watched } from '../chains/self-custody.ts'
import type { Clock } from '../kernel/clock.ts'
import { limits } from '../kernel/limits.ts'
import { buyersThrough, hasOpenPurchase } from '../purchases/store.ts'
import { followerStandings } from '../sender/halt-store.ts'
import { matchHashes } from '../sender/place-store.ts'
import { readDeposits } from '../sender/read-deposits.ts'
import type { Store } from '../store/postgres.ts'
import {
  buyersAwaited,
  hasLiveBuild,
  sendersAwaited,
  tradesAwaited,
} from '../transactions/awaited-store.ts'

/** A network that is so far behind its nodes is not read on, as `NobodyFollows` says it after a minute. */
const BEHIND_MILLISECONDS = 120_000
/** Between two looks whether somebody reads on. */
const LOOK_MILLISECONDS = 1_000

const FROM_THE_LOG =
  'Nothing is seen from here why. Where the service runs, its log says it as "round failed" or "round dropped".'

/**
 * Why nobody reads a network's blocks on, in words: what a reader of the next one is told by the nodes. Undefined where somebody does, where the network waits for a
 * person, and of a sandbox. Throws NodeFailure where no node tells its head.
 */
export async function whyNotReadOn(
  store: Store,
  chain: Chain,
  clock: Clock,
): Promise<string | undefined> {
  const { sandbox, blockTimeMilliseconds } = chain.config
  // Its chain goes on while nobody serves it.
  if (sandbox) return undefined
  const read = await heightRead(store, chain)
  if (read === undefined) return undefined
  const { height } = await chain.head()
  if (Number(height - read) * blockTimeMilliseconds < BEHIND_MILLISECONDS) return undefined
  const failure = await failureBehind(store, chain, read)
  const until = clock.nowMilliseconds() + limits.doctorNextBlockSeconds * 1000
  // Who is behind and reads on comes to its next blocks in a moment.
  while ((await heightRead(store, chain)) === read) {
    if (failure !== undefined || clock.nowMilliseconds() >= until) {
      return `the blocks after ${read} are not read, and what they hold is pending. ${failure ?? FROM_THE_LOG}`
    }
    await clock.sleep(LOOK_MILLISECONDS)
  }
  return undefined
}

async function heightRead(store: Store, { config }: Chain): Promise<bigint | undefined> {
  const standings = await store.inTransaction('service', followerStandings)
  const standing = standings.get(config.network)
  return standing?.haltedReason === null ? (standing.height ?? undefined) : undefined
}

/** What fails when the block behind a height is read as its follower reads it. */
async function failureBehind(
  store: Store,
  chain: Chain,
  height: bigint,
): Promise<string | undefined> {
  try {
    const [block] = await chain.blocks(height + 1n, 1)
    if (block !== undefined) await readAsFollower(store, chain, block)
    return undefined
  } catch (error) {
    if (error instanceof NodeFailure) return error.message
    throw error
  }
}

async function readAsFollower(store: Store, chain: Chain, block: Block): Promise<void> {
  const { network } = chain.config
  await readDeposits({ chain, store }, [block])
  const places = await store.inTransaction('service', (tx) =>
    matchHashes(tx, network, block.transactionHashes),
  )
  const hashes = places.map(({ hash }) => hash)
  if (hashes.length > 0) await chain.outcomes(hashes, [block])
  const isAwaited = await store.inTransaction(
    'service',
    async (tx) => (await hasLiveBuild(tx, network)) || (await hasOpenPurchase(tx, network)),
  )
  if (isAwaited) await chain.selfCustody?.sightings([block], (seen) => awaited(store, chain, seen))
}

function awaited(
  store: Store,
  { config: { network } }: Chain,
  { senders, commitments, cosigned = [] }: Seen,
): Promise<Watched> {
  return store.inTransaction('service', async (tx) => ({
    senders: await sendersAwaited(tx, network, senders),
    commitments: await tradesAwaited(tx, network, commitments),
    cosigners: new Set([
      ...(await buyersAwaited(tx, network, cosigned)),
      ...(await buyersThrough(tx, network, cosigned)),
    ]),
  }))
}
