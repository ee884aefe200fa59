import type { EscrowCallStatus } from '@florin/wire/x402/escrow-call.ts'
import type { EscrowMoves } from '../../chains/batch.ts'
import { NodeFailure } from '../../chains/chain.ts'
import type { Chain } from '../../chains/chain.ts'
import { addToOutbox } from '../../events/store.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { EscrowCallId } from '../../kernel/id.ts'
import type { Log } from '../../kernel/log.ts'
import { cameToNothing, lonePlaces } from '../../sender/lone-place-store.ts'
import type { LonePlace } from '../../sender/lone-place-store.ts'
import type { Store, Tx } from '../../store/postgres.ts'
import { noteStanding, recordsUnderWay } from '../escrow-record-store.ts'
import type { EscrowRecord, Standing } from '../escrow-record-store.ts'
import { escrowCallEvent } from './call-view.ts'

export interface FollowCallsDeps {
  readonly store: Store
  readonly clock: Pick<Clock, 'nowMilliseconds'>
  readonly log: Log
}

const PAGE_CALLS = 500
/** Of a round: more is under way nowhere. */
const PAGES_MAX = 40
/** Receipts that are asked for at the same time. */
const READS_MAX = 20
/** A call that no node shows for so long after it was made is told of without what it moved, and of its end after as long again. */
const UNREAD_MILLISECONDS_MAX = 3_600_000

/** A call that stands otherwise than its record says. */
interface Changed {
  readonly record: EscrowRecord
  readonly place: LonePlace
  readonly standing: Standing
}

/**
 * Moves the records of calls to an escrow on as their transactions go, and tells their accounts: with each change its event, in one transaction. What a call moved is read of its receipt, in
 * the very block that the follower saw it in; a look that failed says nothing, and is repeated in the next round.
 */
export async function followCalls(
  deps: FollowCallsDeps,
  chain: Chain,
  stopping?: AbortSignal,
): Promise<void> {
  const { store } = deps
  const { network } = chain.config
  let after: EscrowCallId | null = null
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const asked: Parameters<typeof recordsUnderWay>[2] = { after, count: PAGE_CALLS }
    const found = await store.inTransaction('service', async (tx) => {
      const records = await recordsUnderWay(tx, network, asked)
      return { records, places: await placesOf(tx, records) }
    })
    const due = found.records.flatMap((record) => {
      const place = found.places.get(record.placeId)
      return place === undefined || isAsNoted(record, place) ? [] : [{ record, place }]
    })
    for (let from = 0; from < due.length; from += READS_MAX) {
      if (stopping?.aborted === true) return
      await noteChanged(
        deps,
        chain,
        await readChanged(deps, chain, due.slice(from, from + READS_MAX)),
      )
    }
    if (found.records.length < PAGE_CALLS) return
    after = found.records.at(-1)?.id ?? null
  }
}

async function placesOf(tx: Pick<Tx, 'query'>, records: readonly EscrowRecord[]) {
  if (records.length === 0) return new Map<string, LonePlace>()
  return lonePlaces(
    tx,
    records.map(({ placeId }) => placeId),
  )
}

/** Where a call stands by its place. One that reverted can still be put into another block, until that one is final. */
function statusOf(place: LonePlace): EscrowCallStatus {
  if (cameToNothing(place)) return 'failed'
  if (!place.succeeded || place.state === 'open') return 'pending'
  return place.state === 'final' ? 'settled' : 'confirmed'
}

function isAsNoted(record: EscrowRecord, place: LonePlace): boolean {
  const status = statusOf(place)
  return status === record.status && (!hasEffect(status) || isSeenIn(record, place))
}

function hasEffect(status: EscrowCallStatus): boolean {
  return status === 'confirmed' || status === 'settled'
}

function isSeenIn({ seenBlockHash }: EscrowRecord, { minedBlockHash }: LonePlace): boolean {
  return seenBlockHash !== null && (minedBlockHash === null || minedBlockHash === seenBlockHash)
}

type Due = Pick<Changed, 'record' | 'place'>

/** How each stands now, with what it moved; those that no node shows now are left out. */
async function readChanged(
  { log, clock }: FollowCallsDeps,
  chain: Chain,
  due: readonly Due[],
): Promise<readonly Changed[]> {
  const looks = await Promise.allSettled(due.map((each) => standingOf(chain, each)))
  const now = clock.nowMilliseconds()
  const changed: Changed[] = []
  let unread = 0
  for (const [index, look] of looks.entries()) {
    const one = due[index]
    if (one === undefined) continue
    if (look.status === 'rejected' && !(look.reason instanceof NodeFailure)) throw look.reason
    const standing = look.status === 'fulfilled' ? look.value : unshownStanding(one, now)
    if (standing === undefined) unread += 1
    else changed.push({ ...one, standing })
  }
  if (unread > 0) {
    const { network } = chain.config
    log.warn({ network, count: unread }, 'what calls to the escrow moved is not shown by any node')
  }
  return changed
}

async function standingOf(chain: Chain, { record, place }: Due): Promise<Standing> {
  const status = statusOf(place)
  if (!hasEffect(status)) return without(record, status)
  if (isSeenIn(record, place)) return { ...record, status }
  // Nobody here can read what it moved while the scheme is switched off.
  if (chain.batch === undefined || place.hash === null) return unreadStanding({ record, place })
  const moves = await chain.batch.moved(place.hash)
  const { minedBlockHash } = place
  if (minedBlockHash !== null && moves.blockHash !== minedBlockHash) {
    throw new NodeFailure('a receipt of another block than the followed one')
  }
  const amount = amountOf(record, moves)
  const claimed = record.operation === 'refund' ? moves.claimed : null
  return { status, amount, claimed, seenBlockHash: moves.blockHash }
}

/** What it moved by its kind. Throws NodeFailure where a deposit shows none: the escrow takes it, or reverts. */
function amountOf({ operation }: EscrowRecord, moves: EscrowMoves): bigint {
  switch (operation) {
    case 'deposit':
      if (moves.deposited === 0n) throw new NodeFailure('a deposit that no log shows')
      return moves.deposited
    case 'claim':
      return moves.claimed
    case 'settle':
      return moves.settled
    case 'refund':
      return moves.refunded
    default:
      return operation satisfies never
  }
}

/**
 * How a call stands that no node shows now; undefined where its record stays as it is. It is asked for until its end, and that is told later: the first look at an old call may meet a node
 * that is behind, and what is over is never read again.
 */
function unshownStanding(due: Due, nowMilliseconds: number): Standing | undefined {
  const { createdAtMilliseconds, confirmedAtMilliseconds, status } = due.record
  const isLong = (since: number) => since + UNREAD_MILLISECONDS_MAX < nowMilliseconds
  if (status === 'pending') {
    return isLong(createdAtMilliseconds) ? without(due.record, 'confirmed') : undefined
  }
  const isEnd = statusOf(due.place) === 'settled'
  return isEnd && isLong(confirmedAtMilliseconds ?? createdAtMilliseconds)
    ? unreadStanding(due)
    : undefined
}

/** It is known where it stands, and not what it moved. */
function unreadStanding({ record, place }: Due): Standing {
  return { ...without(record, statusOf(place)), seenBlockHash: place.minedBlockHash }
}

/** What nothing shows. Only a deposit says beforehand what it is to move. */
function without({ operation, amount }: EscrowRecord, status: EscrowCallStatus): Standing {
  const known = operation === 'deposit' ? amount : null
  return { status, amount: known, claimed: null, seenBlockHash: null }
}

/** Stores what still stands as it was read. What moved on meanwhile is seen in the next round. */
async function noteChanged(
  { store, clock }: FollowCallsDeps,
  { config }: Chain,
  changed: readonly Changed[],
): Promise<void> {
  if (changed.length === 0) return
  await store.inTransaction('service', async (tx) => {
    const now = clock.nowMilliseconds()
    const places = await placesOf(
      tx,
      changed.map(({ record }) => record),
    )
    const events = []
    for (const { record, place, standing } of changed) {
      const current = places.get(record.placeId)
      if (current === undefined || !isSame(current, place)) continue
      const noted = await noteStanding(tx, record, standing, now)
      if (noted !== undefined && isNews(record, noted)) {
        events.push(escrowCallEvent(noted, place.hash, config))
      }
    }
    await addToOutbox(tx, events, now)
  })
}

function isSame(one: LonePlace, other: LonePlace): boolean {
  return (
    one.state === other.state &&
    one.succeeded === other.succeeded &&
    one.hash === other.hash &&
    one.minedBlockHash === other.minedBlockHash
  )
}

/** Another block that shows the same is none. */
function isNews(was: EscrowRecord, noted: EscrowRecord): boolean {
  return was.status !== noted.status || was.amount !== noted.amount || was.claimed !== noted.claimed
}
