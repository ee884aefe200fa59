import type { NetworkId } from '@florin/wire/network.ts'
import type { ForeignSettlement, ProofKey } from '../chains/exact.ts'
import type { Sighting } from '../chains/self-custody.ts'
import { lookSoon } from '../facilitator/claim-looks-store.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import { holdClaims } from '../facilitator/soft-claim-store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Log } from '../kernel/log.ts'
import type { BuildBook } from '../sender/build-book.ts'
import type { MinedTrade, TradeBook } from '../sender/trade-book.ts'
import type { Tx } from '../store/postgres.ts'
import { buyersAwaited, hasLiveBuild, sendersAwaited, tradesAwaited } from './awaited-store.ts'
import type { BuiltTerms } from './build.ts'
import { judge, judgeSettlement, termsPaid } from './judge.ts'
import {
  closeBuilds,
  closeSettled,
  forgetAbove,
  liveBuilds,
  noteDead,
  noteSeen,
  provenDead,
} from './live-store.ts'
import { holdNoncesAnew } from './nonce-store.ts'
import { formName, sendSoon, takenAs } from './submission-store.ts'
import { forgetUnread, forgetUnreadAbove, noteUnread, unreadBuilds } from './unread-store.ts'
import type { UnreadBuild } from './unread-store.ts'
import type {
  DeadReason,
  BuiltEffect,
  BuiltRecords,
  RemarkReason,
} from '../sender/built-records.ts'

interface Findings {
  readonly effects: Map<PaymentId, BuiltEffect>
  readonly remarks: Map<PaymentId, RemarkReason | null>
  /** What nobody here can read, where its build has no effect yet. */
  readonly unread: Map<PaymentId, UnreadBuild[]>
  readonly dead: Map<PaymentId, { paymentId: PaymentId; height: bigint; reason: DeadReason }>
  /** Of builds that settle somebody's proof. */
  readonly settled: Map<PaymentId, { accountId: AccountId; settlement: ForeignSettlement }>
  readonly looks: Set<PaymentId>
}

/**
 * Follows what others signed: by the commitment that a transaction carries, and by its sender and nonce. Nothing that is found decides a
 * payment before it is final.
 */
export function openBuildBook({
  records,
  received,
  clock,
  trades,
  log,
}: {
  readonly records: BuiltRecords
  readonly received: Pick<ReceivedRecords, 'paidElsewhere' | 'unseen' | 'expired'>
  readonly clock: Clock
  /** Left out where nothing is traded. */
  readonly trades?: Pick<TradeBook, 'mined' | 'vanished' | 'unreadable'>
  readonly log?: Log
}): BuildBook {
  /** Behind which of those that nobody could read the next look begins, for each network. */
  const after = new Map<NetworkId, UnreadBuild>()

  /** Trades of venues that this instance has not. */
  const unreadable = async (
    tx: Tx,
    network: NetworkId,
    builds: readonly Pick<BuiltTerms, 'paymentId'>[],
  ): Promise<ReadonlySet<PaymentId>> => {
    const paymentIds = builds.map(({ paymentId }) => paymentId)
    if (paymentIds.length === 0 || trades === undefined) return new Set()
    return trades.unreadable(tx, network, paymentIds)
  }

  /** Takes in what transactions did; those among them of which nobody here can say it. */
  const takeIn = async (
    tx: Tx,
    network: NetworkId,
    sightings: readonly Sighting[],
  ): Promise<readonly UnreadBuild[]> => {
    const unmarked = sightings.filter((sighting) => termsPaid(sighting).length > 0)
    const taken = await takenAs(
      tx,
      network,
      unmarked.map(({ transactionHash }) => transactionHash),
    )
    const builds = await buildsBehind(tx, network, sightings, [...taken.values()])
    if (builds.length === 0) return []
    const inTurn = givenUpLast(builds, await records.givenUp(tx, alikeIn(builds)))
    // Venues from outside are of chains without places.
    const traded = builds.filter(({ tradeId, nonce }) => tradeId !== null && nonce === null)
    const found = findingsOf(inTurn, sightings, {
      taken,
      unreadable: await unreadable(tx, network, traded),
    })
    const { effects, remarks, unread, dead, settled, looks } = found
    const untold = [...unread.values()].flat()
    for (const each of await noteUnread(tx, network, untold)) {
      const { paymentId, transactionHash: hash, height } = each
      const facts = { network, hash, paymentId, height: String(height) }
      log?.error(
        facts,
        'nobody here tells what it did: it is pending until a node or its venue does',
      )
    }
    await records.remark(
      tx,
      [...remarks].map(([paymentId, reason]) => ({ paymentId, reason })),
    )
    await trades?.mined(tx, tradesIn(network, builds, effects, sightings))
    await records.confirmed(tx, [...effects.values()])
    for (const [paymentId, { accountId, settlement }] of settled) {
      await received.paidElsewhere(tx, { accountId, paymentId }, settlement, false)
    }
    await lookSoon(tx, [...looks])
    const places = [...settled].map(
      ([
        paymentId,
        {
          settlement: { height },
        },
      ]) => ({ paymentId, height }),
    )
    await noteSeen(tx, [...effects.values(), ...places])
    await noteDead(tx, [...dead.values()])
    return untold
  }

  return {
    hasLive: hasLiveBuild,

    // A commitment counts with its own sender's signature only. Those of trades say whose transactions are worth reading whole.
    watched: async (tx, network, { senders, commitments, cosigned = [] }) => ({
      senders: await sendersAwaited(tx, network, senders),
      cosigners: await buyersAwaited(tx, network, cosigned),
      commitments: await tradesAwaited(tx, network, commitments),
    }),

    // Where only these very bytes can pay, nobody may take the proof over between the look at its build and the word about it.
    hold: async (tx, network, sightings) => {
      const lone = sightings.filter(({ nonce }) => nonce === null)
      await holdClaims(tx, network, keysOf(lone))
    },

    sighted: async (tx, network, sightings) => {
      await takeIn(tx, network, sightings)
    },

    undone: async (tx, network, height) => {
      const reopened = await records.undone(tx, network, height)
      await trades?.vanished(tx, [...reopened])
      await forgetUnreadAbove(tx, network, height)
      const { undead, unseen, unsettled } = await forgetAbove(tx, network, height)
      const givenUp = await records.givenUp(tx, unseen)
      const wanted = unseen.filter((paymentId) => !givenUp.has(paymentId))
      await holdNoncesAnew(tx, network, wanted, clock.nowMilliseconds())
      await sendSoon(tx, wanted, clock.nowMilliseconds())
      await received.unseen(tx, unsettled)
      await records.remark(
        tx,
        undead.map((paymentId) => ({ paymentId, reason: null })),
      )
    },

    final: async (tx, network, height, count) => {
      const now = clock.nowMilliseconds()
      const settled = await records.final(tx, network, height, count)
      await closeBuilds(tx, settled, now)
      const closed = await closeSettled(tx, network, { height, count, nowMilliseconds: now })
      const dead = await provenDead(tx, network, height, count)
      const endsOf = (ends: (typeof dead)[number]['ends']) =>
        dead.filter((each) => each.ends === ends)
      const over = await records.over(tx, endsOf('sent'))
      const unsettled = endsOf('received').map(({ paymentId }) => paymentId)
      await received.expired(tx, unsettled)
      const idle = endsOf('none').map(({ paymentId }) => paymentId)
      await closeBuilds(tx, [...over, ...unsettled, ...idle], now)
      return Math.max(settled.length, closed, dead.length)
    },

    untold: {
      places: async (tx, network) => {
        const last = after.get(network)
        const page = await unreadBuilds(tx, network, last, limits.untoldPlacesMax)
        const others = await unreadable(tx, network, page)
        const places = page.filter(({ paymentId }) => !others.has(paymentId))
        const asked = places.slice(0, limits.untoldBuildsMax)
        const next = asked.length < places.length ? asked.at(-1) : page.at(-1)
        if (next === undefined) after.delete(network)
        else after.set(network, next)
        return [asked]
      },

      told: async (tx, network, sightings) => {
        const untold = await takeIn(tx, network, sightings)
        const still = new Set(untold.map(({ transactionHash }) => transactionHash))
        const read = sightings.filter(({ transactionHash }) => !still.has(transactionHash))
        await forgetUnread(tx, network, read)
      },
    },
  }
}

/** The trades among the builds that took effect, with what their transactions show. */
export function tradesIn(
  network: NetworkId,
  builds: readonly BuiltTerms[],
  effects: Findings['effects'],
  sightings: readonly Sighting[],
): readonly MinedTrade[] {
  return builds.flatMap(({ paymentId, tradeId }) => {
    const effect = effects.get(paymentId)
    if (tradeId === null || effect === undefined) return []
    const sighting = sightings.find(
      ({ transactionHash }) => transactionHash === effect.transactionHash,
    )
    const transfers = (sighting?.transfers ?? []).map(({ effectIndex, ...transfer }) => ({
      ...transfer,
      logIndex: effectIndex,
    }))
    const { senderChanges, priorityFeePaid } = sighting ?? {}
    const { height } = effect
    return [{ network, tradeId, height, transfers, senderChanges, priorityFeePaid }]
  })
}

function keysOf(sightings: readonly Sighting[]): readonly ProofKey[] {
  return [...new Set(sightings.flatMap(({ proofKey }) => (proofKey === null ? [] : [proofKey])))]
}

function buildsBehind(
  tx: Tx,
  network: NetworkId,
  sightings: readonly Sighting[],
  submitted: readonly PaymentId[],
): Promise<readonly BuiltTerms[]> {
  const marks = {
    submitted,
    senders: [...new Set(sightings.map(({ sender }) => sender))],
    commitments: [...new Set(sightings.flatMap(({ commitments }) => commitments))],
    proofKeys: keysOf(sightings),
    places: sightings.flatMap(({ sender, nonce }) => (nonce === null ? [] : [{ sender, nonce }])),
    paid: sightings.flatMap(termsPaid),
  }
  const most = { perPlace: limits.buildsPerPlaceMax, inAll: limits.buildsPerRoundMax }
  return liveBuilds(tx, network, marks, most)
}

/** Those that nothing but their place and terms tells from others. */
function alikeIn(builds: readonly BuiltTerms[]): readonly PaymentId[] {
  const unmarked = builds.filter(
    ({ commitment, proofKey }) => commitment === null && proofKey === null,
  )
  return unmarked.length > 1 ? unmarked.map(({ paymentId }) => paymentId) : []
}

function givenUpLast(
  builds: readonly BuiltTerms[],
  givenUp: ReadonlySet<PaymentId>,
): readonly BuiltTerms[] {
  if (givenUp.size === 0) return builds
  const isGivenUp = ({ paymentId }: BuiltTerms): boolean => givenUp.has(paymentId)
  return [...builds.filter((build) => !isGivenUp(build)), ...builds.filter(isGivenUp)]
}

/**
 * The first transaction that pays a build is its own. One that carries no commitment pays one build of an account at most: the one that its
 * bytes were taken as here, else the first.
 */
function findingsOf(
  builds: readonly BuiltTerms[],
  sightings: readonly Sighting[],
  {
    taken,
    unreadable,
  }: {
    readonly taken: ReadonlyMap<string, PaymentId>
    readonly unreadable: ReadonlySet<PaymentId>
  },
): Findings {
  const known = new Set(builds.map(({ paymentId }) => paymentId))
  const found: Findings = {
    effects: new Map(),
    remarks: new Map(),
    unread: new Map(),
    dead: new Map(),
    settled: new Map(),
    looks: new Set(),
  }
  const paidUnmarked = new Set<string>()
  for (const sighting of sightings) {
    const { transactionHash, height, blockHash, feePaid } = sighting
    for (const build of builds) {
      if (build.proofKey !== null) {
        noteSettlement(found, build, sighting)
        continue
      }
      const { paymentId, accountId, commitment } = build
      const judgement = judge(build, sighting, !unreadable.has(paymentId))
      if (judgement === undefined) continue
      if (judgement.kind === 'unread') {
        addUnread(found, { paymentId, transactionHash, height, blockHash })
        continue
      }
      const unmarked = formName(accountId, transactionHash)
      const takenFor = taken.get(unmarked)
      const isAnothers = takenFor !== undefined && takenFor !== paymentId && known.has(takenFor)
      const isItsTurn = commitment !== null || (!isAnothers && !paidUnmarked.has(unmarked))
      if (judgement.kind === 'paid' && isItsTurn) {
        if (commitment === null) paidUnmarked.add(unmarked)
        if (found.effects.has(paymentId)) continue
        const { effectIndex, asked } = judgement.transfer
        found.remarks.set(paymentId, asked === undefined ? null : 'recipient_got_less')
        const place = { transactionHash, height, blockHash, effectIndex, feePaid }
        found.effects.set(paymentId, { paymentId, ...place })
        continue
      }
      const used = 'nonce_used_by_another_transaction'
      const { remark, dead } =
        judgement.kind === 'paid' ? ({ remark: used, dead: used } as const) : judgement
      // What a failed try showed is no remark on the one that paid.
      if (!found.effects.has(paymentId)) found.remarks.set(paymentId, remark)
      if (dead !== null) found.dead.set(paymentId, { paymentId, height, reason: dead })
    }
  }
  return found
}

function addUnread({ unread }: Findings, place: UnreadBuild): void {
  unread.set(place.paymentId, [...(unread.get(place.paymentId) ?? []), place])
}

function noteSettlement(found: Findings, build: BuiltTerms, sighting: Sighting): void {
  const judgement = judgeSettlement(build, sighting)
  if (judgement === undefined) return
  const { paymentId, accountId } = build
  const { transactionHash: hash, height, blockHash } = sighting
  switch (judgement.kind) {
    case 'settled': {
      const logIndex = judgement.transfer.effectIndex
      found.settled.set(paymentId, { accountId, settlement: { hash, height, blockHash, logIndex } })
      return
    }
    case 'failed':
      found.dead.set(paymentId, { paymentId, height, reason: 'transaction_reverted' })
      return
    case 'unread':
      addUnread(found, { paymentId, transactionHash: hash, height, blockHash })
      return
    case 'look': {
      found.looks.add(paymentId)
      const { dead: reason } = judgement
      if (reason !== null) found.dead.set(paymentId, { paymentId, height, reason })
      return
    }
    default:
      judgement satisfies never
  }
}
