import type { NetworkId } from '@florin/wire/network.ts'
import type { Sighting } from '../chains/self-custody.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { BuildBook } from '../sender/build-book.ts'
import type { Tx } from '../store/postgres.ts'
import type { BuiltTerms, DeadReason } from './build.ts'
import { judge } from './judge.ts'
import {
  closeBuilds,
  forgetAbove,
  hasLiveBuild,
  liveBuilds,
  noteDead,
  noteSeen,
  provenDead,
  sendersAwaited,
} from './live-store.ts'
import type { BuiltEffect, BuiltRecords, RemarkReason } from './records.ts'

interface Findings {
  readonly effects: Map<PaymentId, BuiltEffect>
  readonly remarks: Map<PaymentId, RemarkReason | null>
  readonly dead: Map<PaymentId, { paymentId: PaymentId; height: bigint; reason: DeadReason }>
}

/**
 * Follows what others signed: by the commitment that a transaction carries, and by its sender and nonce. Nothing that is found decides a
 * payment before it is final.
 */
export function openBuildBook({
  records,
  clock,
}: {
  records: BuiltRecords
  clock: Clock
}): BuildBook {
  return {
    hasLive: hasLiveBuild,

    // A commitment counts with its own sender's signature only, so the senders are all that has to be known.
    watched: async (tx, network, { senders }) => ({
      senders: await sendersAwaited(tx, network, senders),
      commitments: new Set(),
    }),

    sighted: async (tx, network, sightings) => {
      const builds = await buildsBehind(tx, network, sightings)
      if (builds.length === 0) return
      const { effects, remarks, dead } = findingsOf(builds, sightings)
      // What a failed try showed is no remark on the one that paid.
      const said = [...remarks, ...[...effects.keys()].map((id) => [id, null] as const)]
      await records.remark(
        tx,
        [...new Map(said)].map(([paymentId, reason]) => ({ paymentId, reason })),
      )
      await records.confirmed(tx, [...effects.values()])
      await noteSeen(tx, [...effects.values()])
      await noteDead(tx, [...dead.values()])
    },

    undone: async (tx, network, height) => {
      await records.undone(tx, network, height)
      const undead = await forgetAbove(tx, network, height)
      await records.remark(
        tx,
        undead.map((paymentId) => ({ paymentId, reason: null })),
      )
    },

    final: async (tx, network, height, count) => {
      const now = clock.nowMilliseconds()
      const settled = await records.final(tx, network, height, count)
      await closeBuilds(tx, settled, now)
      const dead = await provenDead(tx, network, height, count)
      await closeBuilds(tx, [...(await records.over(tx, dead))], now)
      return Math.max(settled.length, dead.length)
    },
  }
}

function buildsBehind(
  tx: Tx,
  network: NetworkId,
  sightings: readonly Sighting[],
): Promise<readonly BuiltTerms[]> {
  const marks = {
    senders: [...new Set(sightings.map(({ sender }) => sender))],
    commitments: [...new Set(sightings.flatMap(({ commitments }) => commitments))],
    places: sightings.flatMap(({ sender, nonce }) => (nonce === null ? [] : [{ sender, nonce }])),
  }
  return liveBuilds(tx, network, marks, limits.buildsPerPlaceMax)
}

/** The first transaction that pays a build is its own; one that carries no commitment pays one build of an account at most. */
function findingsOf(builds: readonly BuiltTerms[], sightings: readonly Sighting[]): Findings {
  const found: Findings = { effects: new Map(), remarks: new Map(), dead: new Map() }
  const paidUnmarked = new Set<string>()
  for (const sighting of sightings) {
    const { transactionHash, height, blockHash, feePaid } = sighting
    for (const build of builds) {
      const judgement = judge(build, sighting)
      if (judgement === undefined) continue
      const { paymentId, accountId, commitment } = build
      const unmarked = `${accountId} ${transactionHash}`
      if (judgement.kind === 'paid' && (commitment !== null || !paidUnmarked.has(unmarked))) {
        if (commitment === null) paidUnmarked.add(unmarked)
        if (found.effects.has(paymentId)) continue
        const { effectIndex } = judgement.transfer
        const place = { transactionHash, height, blockHash, effectIndex, feePaid }
        found.effects.set(paymentId, { paymentId, ...place })
        continue
      }
      const used = 'nonce_used_by_another_transaction'
      const { remark, dead } =
        judgement.kind === 'paid' ? ({ remark: used, dead: used } as const) : judgement
      found.remarks.set(paymentId, remark)
      if (dead !== null) found.dead.set(paymentId, { paymentId, height, reason: dead })
    }
  }
  return found
}
