import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
import { readableBalances } from '../chains/readable-balances.ts'
import type { ReadableBalances } from '../chains/readable-balances.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Clock } from '../kernel/clock.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Broadcaster } from './broadcast.ts'
import { prepareFilling, storeFilling } from './fill-gap.ts'
import { freezeLane, lockLane } from './lane-store.ts'
import { haveReadAnew } from './follower-store.ts'
import { followerStandings } from './halt-store.ts'
import { closedAboveChain } from './closed-place-store.ts'
import { gapOf, unfreezeLane } from './lane-release-store.ts'

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
  // Not behind what could still be taken back: how far it goes is for the release to say.
  const { finalized } = await chain.lanePosition(address)
  await store.inTransaction('service', async (tx) => {
    await lockLane(tx, network, address, finalized)
    await freezeLane(tx, network, address, reason)
    await noted(tx)
  })
}

/** A lane that was let go. */
export interface Released {
  /** What is the address's own on chain, in the order of the network's assets. */
  readonly amounts: ReadableBalances['amounts']
  /** The nonce that the next transaction would have had, and the one that it has now. */
  readonly before: bigint
  readonly after: bigint
  /**
   * Nonces below it that nobody had used, or that a replaced final block gave back where what we had sent had come to nothing: filled by a transaction of nothing
   * each, so that what waited behind them gets in.
   */
  readonly filled: readonly bigint[]
}

/**
 * Lets a frozen key sign again, from where the chain is. The chain is asked before the lane is locked: what is final before the balances are
 * read is gone from them, and what is used up is looked at before and after, so that no use counts in the balances alone. What somebody uses
 * behind that freezes the lane again at the next payment. Refuses NETWORK_ERROR where the balances are of a block below those that were read here
 * before: whoever tells them does not know what the books know, and what it lacks would be written off. Refuses INVALID_PARAMETERS while a transaction of ours lies below the chain's count
 * and nobody knows yet what became of it, and while the key was used elsewhere in a block that is not final: whoever signed behind a nonce
 * that is given back would wait for ever. A lane that stands above the chain goes back to it if nothing of ours was ever signed there. Where places of
 * ours wait behind a nonce that nobody has used, it is filled: stored with the release, then sent. So is one that a replaced final block gave back where a place
 * of ours had come to nothing, by the next attempt of that place: which of them gets in, nobody knows, but never both, and nothing is paid by it that was not
 * there before. Either is refused while this look cannot tell that, on a halted network above all, and where what the address has is awaited by what is under
 * way. Refused, too, where such a place did a part of what it carries: what it did was told as settled, and whoever takes its nonce takes that back.
 * A token that cannot be read stops no release.
 */
export async function releaseLane({
  store,
  chain,
  address,
  clock,
  broadcaster,
  signerOf,
  killPoint,
  noted,
}: Lane & {
  readonly clock: Pick<Clock, 'nowMilliseconds'>
  readonly broadcaster: Broadcaster
  /** The key of the address; erased here. */
  readonly signerOf: () => Promise<OpenSigner>
  readonly killPoint: (point: KillPoint) => void
  /** Runs in the transaction that changes the lane. */
  readonly noted: (tx: Tx, released: Released) => Promise<void>
}): Promise<Released> {
  const { network, assets } = chain.config
  const standings = await store.inTransaction('service', followerStandings)
  const before = await chain.lanePosition(address)
  const { amounts, height } = await readableBalances(chain, address, assets)
  const after = await chain.lanePosition(address)
  const { height: read, haltedReason } = standings.get(network) ?? {
    height: null,
    haltedReason: null,
  }
  // On a halted network nobody knows which blocks are the chain's.
  if (haltedReason === null && height < (read ?? 0n)) throw behind()
  const { finalized, finalizedHeight } = before
  // Two nodes may answer, and one of them may be behind.
  const usedUp = [before.latest, after.latest].reduce(
    (most, latest) => (latest > most ? latest : most),
    finalized,
  )
  const look = { usedUp, finalized, finalizedHeight, height }
  // Elsewhere a place is none of the chain's.
  const gapIn = async (tx: Tx) => {
    if (chain.renewal.kind !== 'fee') return { missing: [], closed: [], nonces: [], awaited: 0n }
    const most = limits.gapPlacesMax + 1
    const closed = await closedAboveChain(tx, network, address, look, most)
    for (const place of closed) {
      if (place.isHalted) throw halted(place.nonce)
      if (place.isFollowed) throw unsure()
      if (!place.cameToNothing) throw givenBack(place.nonce)
    }
    const back = closed.map(({ nonce }) => nonce)
    const gap = await gapOf(tx, network, address, { ...look, givenBack: back.at(-1) }, most)
    if (gap.missing.length > 0 && !gap.isSure) throw unsure()
    return { ...gap, closed, nonces: inOrder([...gap.missing, ...back]) }
  }
  const gap = await store.inTransaction('service', gapIn)
  // Whoever called those nonces free may be another machine than keeps what is in them.
  const sent = gap.closed.flatMap(({ hashes }) => hashes)
  const outcomes = sent.length === 0 ? [] : await chain.outcomes(sent)
  if (outcomes.some(({ state }) => state !== 'absent')) throw unsure()
  const filling =
    gap.nonces.length === 0
      ? undefined
      : await prepareFilling(chain, address, signerOf, { ...gap, missing: gap.nonces })
  try {
    const { released, bytes } = await store.inTransaction('service', async (tx) => {
      // What had been sent there is looked for in blocks from here on, also in those that somebody has read and not stored.
      if (gap.closed.length > 0) await haveReadAnew(tx, network)
      const { nextNonce } = await lockLane(tx, network, address, finalized)
      const release = await unfreezeLane(tx, network, address, look)
      if (release === 'undecided') throw undecided()
      if (release === 'not_final') throw notFinal(chain.config, height - finalizedHeight)
      if (release === 'unsure') throw unsure()
      const { missing, closed, nonces } = await gapIn(tx)
      const nowMilliseconds = clock.nowMilliseconds()
      const fill = { filling, missing, closed, nowMilliseconds }
      const said = { amounts, before: nextNonce, after: release.nextNonce, filled: nonces }
      const stored = await storeFilling(tx, chain, address, fill)
      await noted(tx, said)
      killPoint('release.before-commit')
      return { released: said, bytes: stored }
    })
    killPoint('release.after-commit')
    await broadcaster.broadcast(network, bytes)
    killPoint('release.after-node')
    return released
  } finally {
    filling?.signer.erase()
  }
}

function behind(): Refusal {
  return new Refusal('NETWORK_ERROR', {
    retryAfterSeconds: 1,
    message:
      'The node that was asked is behind the blocks that were read before, so its balances are old: release the key again in a moment.',
  })
}

function undecided(): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: 'A transaction of this key is not decided yet: release it when it is.',
    details: { address: 'has an open transaction that the chain has passed by' },
  })
}

function notFinal(
  { blockTimeMilliseconds }: Pick<NetworkConfig, 'blockTimeMilliseconds'>,
  blocks: bigint,
): Refusal {
  const minutes = Math.ceil((Number(blocks) * blockTimeMilliseconds) / MINUTE_MILLISECONDS)
  const wait = minutes > 1 ? `${minutes} minutes` : 'a minute'
  return new Refusal('INVALID_PARAMETERS', {
    message: `This key was used elsewhere in a block that is not final yet: release it in about ${wait}, when nothing can take that back.`,
    details: { address: 'was used elsewhere in a block that is not final yet' },
  })
}

function inOrder(nonces: readonly bigint[]): readonly bigint[] {
  return nonces.toSorted((one, other) => (one < other ? -1 : 1))
}

function halted(nonce: bigint): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: `The network is halted, and the node that was asked has nonce ${nonce} of this key free, where a transaction of ours is over: nothing behind it would get in. Release the network first, and then this key.`,
    details: { address: 'has a nonce that a replaced final block may have given back' },
  })
}

function givenBack(nonce: bigint): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message: `A block that was final was replaced, and nonce ${nonce} of this key is free again. Our transaction there had settled a part of what it carries and failed the rest, so it is neither sent again nor taken back, and nothing behind it gets in. Use that nonce, and those before it that are free, with the key elsewhere, by a transaction of nothing each, and release it once that is final.`,
    details: { address: 'has a nonce that a replaced final block gave back' },
  })
}

function unsure(): Refusal {
  return new Refusal('INVALID_PARAMETERS', {
    message:
      'This key stands above the chain, and the node that was asked is behind, or the network is halted: release it when neither is so.',
    details: { address: 'stands above the chain' },
  })
}

const MINUTE_MILLISECONDS = 60_000
