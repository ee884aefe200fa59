import { NodeFailure } from '../chains/chain.ts'
import type { Chain } from '../chains/chain.ts'
import { readableBalances } from '../chains/readable-balances.ts'
import { followerStandings } from '../sender/halt-store.ts'
import type { FollowerStanding } from '../sender/halt-store.ts'
import type { Store } from '../store/postgres.ts'
import type { Finding, IdleWallet, TracedPlace } from './books-store.ts'
import { idleWallets, newestPlaces, passedOver } from './books-store.ts'

const PLACES_MAX = 1_000
/** Asked for in one turn of the loop, so that they share the questions to the node. */
const WALLETS_AT_ONCE_MAX = 20
const WALLET_TURNS_MAX = 10_000
const LANES_MAX = 200
const HASHES_PER_CALL_MAX = 100
/** With their hashes; a full one's are 400 KB. */
const BLOCKS_AT_ONCE_MAX = 20

const FINAL_PLACE = 'a final place is on chain where it was recorded'

/** How far the network's blocks were read here; undefined before anybody has begun. */
type Read = FollowerStanding | undefined

/** What the chain shows, and what it could not be asked for, in words. */
export interface OnChain {
  readonly findings: readonly Finding[]
  /** Nothing is known of what a look that failed would have seen, good or bad. */
  readonly unasked: readonly string[]
}

/**
 * Holds the database against the chain: one mined attempt per place at most, and the one that is recorded; what a lane has passed over is
 * used up; an idle wallet has what the books say, or more (a deposit that nobody has booked yet). Three looks, each of which is unasked where no node
 * answers, and where what misses something stands behind the blocks that were read here: it does not know yet what they did.
 */
export async function findOnChain(store: Store, chain: Chain): Promise<OnChain> {
  const { network } = chain.config
  const findings: Finding[] = []
  const unasked = new Set<string>()
  // Before the chain is asked: a node that is so far by then knows all that was read.
  const read = (await store.inTransaction('service', followerStandings)).get(network)
  const looks = [
    lookAtPlaces(store, chain, findings),
    wronglyPassedOver(store, chain, read, findings),
    shortOnChain(store, chain, read, { findings, unasked }),
  ]
  for (const look of await Promise.allSettled(looks)) {
    if (look.status === 'fulfilled') continue
    const reason: unknown = look.reason
    if (!(reason instanceof NodeFailure)) throw reason
    unasked.add(reason.message)
  }
  return { findings, unasked: [...unasked] }
}

/**
 * Places whose transactions are elsewhere on chain than they were recorded. That a node has none of a final place says nothing: it may stand still,
 * or keep no such old ones. Its block decides, and where nobody shows that, a NodeFailure is thrown at the end.
 */
async function lookAtPlaces(store: Store, chain: Chain, findings: Finding[]): Promise<void> {
  const { network } = chain.config
  const places = await store.inTransaction('service', (tx) => newestPlaces(tx, network, PLACES_MAX))
  const hashes = places.flatMap((place) => place.hashes)
  const mined = new Map<string, string | null>()
  for (let start = 0; start < hashes.length; start += HASHES_PER_CALL_MAX) {
    const asked = hashes.slice(start, start + HASHES_PER_CALL_MAX)
    const outcomes = await chain.outcomes(asked)
    outcomes.forEach((outcome, index) => {
      const hash = asked[index]
      if (outcome.state !== 'absent' && hash !== undefined) mined.set(hash, outcome.blockHash)
    })
  }
  const say = ({ id }: TracedPlace, invariant: string) =>
    findings.push({ invariant, subject: `place ${id}` })
  const unshown: TracedPlace[] = []
  for (const place of places) {
    const found = place.hashes.filter((hash) => mined.has(hash))
    if (found.length > 1) say(place, 'at most one attempt of a place is mined')
    if (place.state === 'dead' && found.length > 0) say(place, 'a dead place has nothing on chain')
    if (place.state !== 'final') continue
    const where = mined.get(place.mined_hash ?? '')
    if (where === undefined) unshown.push(place)
    else if (where !== place.mined_block_hash && where !== null) say(place, FINAL_PLACE)
  }
  let failure: NodeFailure | undefined
  for (let start = 0; start < unshown.length; start += BLOCKS_AT_ONCE_MAX) {
    const some = unshown.slice(start, start + BLOCKS_AT_ONCE_MAX)
    const shown = await Promise.allSettled(some.map((place) => isInItsBlock(chain, place)))
    for (const [index, look] of shown.entries()) {
      const place = some[index]
      if (look.status === 'fulfilled') {
        if (!look.value && place !== undefined) say(place, FINAL_PLACE)
      } else if (look.reason instanceof NodeFailure) failure = look.reason
      else throw look.reason
    }
  }
  if (failure !== undefined) throw failure
}

/** Whether the block that a final place was recorded in is the chain's and holds it. Throws NodeFailure where no node shows the block at that height. */
async function isInItsBlock(chain: Chain, place: TracedPlace): Promise<boolean> {
  const height = BigInt(place.mined_height ?? 0n)
  const [block] = await chain.blocks(height, 1)
  if (block?.height !== height) {
    throw new NodeFailure(`no node shows block ${height}, which a place of ours is in`)
  }
  const isThere = block.transactionHashes.some((hash) => hash === place.mined_hash)
  return isThere && block.hash === place.mined_block_hash
}

/**
 * Lanes that have given a nonce away for nothing: no transaction behind it can ever be mined. One that was released, or whose key was imported
 * again, goes on from where the chain was then, and whoever used the key elsewhere has used up what lies between.
 */
async function wronglyPassedOver(
  store: Store,
  chain: Chain,
  read: Read,
  findings: Finding[],
): Promise<void> {
  const { network } = chain.config
  const lanes = await store.inTransaction('service', (tx) => passedOver(tx, network, LANES_MAX))
  for (const { address, nonce } of lanes) {
    const parsed = chain.parseAddress(address)
    if (parsed === undefined) continue
    const { latest, finalizedHeight } = await chain.lanePosition(parsed)
    if (latest > BigInt(nonce)) continue
    demandReached(finalizedHeight, read?.finalizedHeight)
    const invariant = 'what a lane has passed over is used up on chain'
    findings.push({ invariant, subject: `${network} ${address} ${nonce}` })
  }
}

/** What idle wallets have less of on chain than in the books: all wallets, some at a time. */
async function shortOnChain(
  store: Store,
  chain: Chain,
  read: Read,
  { findings, unasked }: { readonly findings: Finding[]; readonly unasked: Set<string> },
): Promise<void> {
  const { network } = chain.config
  const invariant = 'an idle wallet has on chain what the books say'
  let after: string | undefined = ''
  for (let turn = 0; turn < WALLET_TURNS_MAX && after !== undefined; turn += 1) {
    const wanted = { after, count: WALLETS_AT_ONCE_MAX }
    const wallets: readonly IdleWallet[] = await store.inTransaction('service', (tx) =>
      idleWallets(tx, network, wanted),
    )
    const short = await Promise.all(
      wallets.map((wallet) => shortAssets(store, chain, wallet, { read, unasked })),
    )
    for (const [index, assets] of short.entries()) {
      for (const asset of assets)
        findings.push({ invariant, subject: `${wallets[index]?.address} ${asset}` })
    }
    after = wallets.at(-1)?.address
  }
}

/** The assets of which the chain shows less than the books have, of a wallet that is idle still: what it pays meanwhile, its books did not know. */
async function shortAssets(
  store: Store,
  chain: Chain,
  wallet: IdleWallet,
  { read, unasked }: { readonly read: Read; readonly unasked: Set<string> },
): Promise<readonly string[]> {
  const { network, assets: profiles } = chain.config
  const address = chain.parseAddress(wallet.address)
  if (address === undefined || !profiles.some(({ asset }) => wallet.assets.includes(asset)))
    return []
  // The native one in any case: whoever tells it is no node that is away.
  // A token that is the native currency has no books of its own: what some have of it is of before that was known.
  const known = profiles.filter(
    ({ asset, isCurrency }) =>
      asset === 'native' || (isCurrency !== true && wallet.assets.includes(asset)),
  )
  const bookedOf = ({ assets, booked }: IdleWallet, asset: string) =>
    BigInt(booked[assets.indexOf(asset)] ?? 0n)
  const { amounts, height } = await readableBalances(chain, address, known)
  const short = known.filter(({ asset }, index) => {
    const amount = amounts[index]
    if (amount === undefined) unasked.add(`no node tells what wallets have of ${asset}`)
    return amount !== undefined && amount < bookedOf(wallet, asset)
  })
  if (short.length === 0) return []
  demandReached(height, read?.height)
  const [now] = await store.inTransaction('service', (tx) => idleWallets(tx, network, wallet))
  return short.flatMap(({ asset }) =>
    now !== undefined && bookedOf(now, asset) === bookedOf(wallet, asset) ? [asset] : [],
  )
}

/** A node, or one of several machines behind its address, may stand still: whoever believed it would write off money that is there. */
function demandReached(height: bigint, heightRead: bigint | null | undefined): void {
  if (height < (heightRead ?? 0n)) {
    throw new NodeFailure('a node stands behind the blocks that were read of it here')
  }
}
