import type { Chain, HistoryLook, Renewal } from '../chains/chain.ts'
import { eachInTurn } from '../kernel/each-in-turn.ts'
import { limits } from '../kernel/limits.ts'
import { askDead } from './dead-attempts.ts'
import type { DeadAttempts, ReadChain } from './dead-attempts.ts'
import type { FollowDeps } from './follow.ts'
import { lockLane } from './lane-store.ts'
import { markDead } from './place-store.ts'
import type { LateLook, LivingAttempt, LookGap } from './expiry-store.ts'
import { deadPlaces, livingAttempts, storeLooks } from './expiry-store.ts'
import type { NextAttemptDeps } from './next-attempt.ts'
import { makeNextAttempt } from './next-attempt.ts'

const POINTS = {
  beforeCommit: 'rebuild.before-commit',
  afterCommit: 'rebuild.after-commit',
} as const

type Lifetimes = Extract<Renewal, { kind: 'lifetime' }>

export type RebuildDeps = NextAttemptDeps & Pick<FollowDeps, 'book'>

/** Two looks of one and the same node count as two only this far apart. */
const LOOK_GAP_MILLISECONDS = 20_000
/** In the sandbox one node is all there is, and it does not lag behind itself. */
const SANDBOX_LOOK_GAP_MILLISECONDS = 1_000

/** Blocks may come at half their pace and still fill a gap. */
const SLOWEST_PACE = 2

/** How long to wait between two rounds of looks. */
export function lookPause({ config }: Chain): number {
  return gapOf({ config }).milliseconds / 2
}

function gapOf({ config }: Pick<Chain, 'config'>): LookGap {
  const milliseconds = config.sandbox ? SANDBOX_LOOK_GAP_MILLISECONDS : LOOK_GAP_MILLISECONDS
  const blocks = Math.max(1, Math.floor(milliseconds / config.blockTimeMilliseconds / SLOWEST_PACE))
  return { milliseconds, blocks }
}

/**
 * Makes the next attempt of places whose every earlier attempt is proven dead: a height was final at which it could not be
 * included any more, every node calls it over by its own chain, whatever one of them told of its lifetime, and every look into the history after that
 * succeeded and found nothing. The looks are kept as evidence. A look
 * that failed is no look; bytes that were found once, by whichever node, are never replaced. The machine that tells what its history holds
 * may be another one than told the height, and stand still: so every block that could hold them has to be read as final here as well, up to
 * `finalizedHeight`. What nodes call over is remembered in `heard`. None is made any more when it `isOver`.
 */
export async function rebuildExpired(
  deps: RebuildDeps,
  lifetimes: Lifetimes,
  read: ReadChain,
  heard: DeadAttempts,
  isOver: () => boolean = () => false,
): Promise<void> {
  const { chain, store, clock } = deps
  const { network } = chain.config
  const { finalizedHeight } = read
  const living = await store.inTransaction('service', (tx) =>
    livingAttempts(tx, network, limits.livingPlacesMax),
  )
  if (living.length === 0) return
  const looks = await lifetimes.lookBack(living.map(({ hash }) => hash))
  const seen = living.map((attempt, index) => {
    const own = looks[index] ?? []
    const late = own.filter((look) => isLate(look, attempt, lifetimes, finalizedHeight))
    const isSilent = own.length > 0 && late.length === own.length && !late.some(isFound)
    return { attempt, late, isSilent }
  })
  const isDead = await askDead(deps, lifetimes, read, heard, {
    living,
    silent: seen.filter(({ isSilent }) => isSilent).map(({ attempt }) => attempt),
  })
  const late: LateLook[] = []
  const spared = new Set<string>()
  for (const { attempt, late: own, isSilent } of seen) {
    const { attemptId, transactionId } = attempt
    if (!isSilent || !isDead(attempt)) spared.add(transactionId)
    // What was found is what will always be; nothing found is evidence only where nothing can come any more.
    const counts = own.filter((look) => isFound(look) || isDead(attempt))
    late.push(...counts.map((look) => ({ ...look, attemptId })))
  }
  const candidates = living.filter(({ transactionId }) => !spared.has(transactionId))
  if (late.length === 0) return
  const dead = await store.inTransaction('service', async (tx) => {
    await storeLooks(tx, late, gapOf(chain), clock.nowMilliseconds())
    return deadPlaces(
      tx,
      [...new Set(candidates.map(({ transactionId }) => transactionId))],
      gapOf(chain),
    )
  })
  const newest = new Map(candidates.map((attempt) => [attempt.transactionId, attempt]))
  const over = [...newest.values()].filter(({ transactionId }) => dead.has(transactionId))
  await eachInTurn(over, limits.renewalsAtOnceMax, isOver, async (attempt) => {
    if (lifetimes.isRenewable?.(attempt.terms) === false) await giveUp(deps, attempt)
    else await rebuild(deps, attempt)
  })
}

function isFound({ found }: HistoryLook): boolean {
  return found
}

/** Whether the bytes could not be included any more when this look was made, nor in any block that was not read as final here by then. */
function isLate(
  look: HistoryLook,
  { terms }: LivingAttempt,
  lifetimes: Lifetimes,
  finalizedHeight: bigint,
): boolean {
  return readAtLeast(look, finalizedHeight) > lifetimes.lifetimeOf(terms)
}

/** How far our own final blocks reach at least, in the unit of lifetimes: each height up to where the node is may hold a block, or none. */
function readAtLeast({ finalizedHeight, height }: HistoryLook, ownHeight: bigint): bigint {
  return ownHeight < height ? finalizedHeight - (height - ownHeight) : finalizedHeight
}

/** Bytes that nobody here can make anew are at their end with the same proof that would allow new ones. */
async function giveUp({ chain, store, book, log }: RebuildDeps, attempt: LivingAttempt) {
  const { network } = chain.config
  await store.inTransaction('service', async (tx) => {
    await lockLane(tx, network, attempt.laneAddress, attempt.nonce)
    const still = await deadPlaces(tx, [attempt.transactionId], gapOf(chain))
    if (!still.has(attempt.transactionId)) return
    const paymentIds = await markDead(tx, attempt.transactionId)
    if (paymentIds === undefined || paymentIds.length === 0) return
    await book.dead(tx, [{ network, reason: 'authorization_expired', paymentIds }])
    log.info({ network, hash: attempt.hash }, 'a payer’s transaction has expired')
  })
}

async function rebuild(deps: NextAttemptDeps, attempt: LivingAttempt): Promise<void> {
  const { chain, log } = deps
  if (attempt.number >= limits.attemptsMax) {
    const { hash, requestId } = attempt
    const facts = { network: chain.config.network, hash, requestId }
    log.error(facts, 'a payment has used up its attempts and waits for an operator')
    return
  }
  // Asked again under the lock: nothing may have been seen on chain in between.
  await makeNextAttempt(deps, attempt, POINTS, async (tx) =>
    (await deadPlaces(tx, [attempt.transactionId], gapOf(chain))).has(attempt.transactionId),
  )
}
