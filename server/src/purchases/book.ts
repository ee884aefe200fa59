import { baseUnits } from '@florin/wire/amount.ts'
import type { NetworkId } from '@florin/wire/network.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { Log } from '../kernel/log.ts'
import { post, release } from '../ledger/entry.ts'
import type { Hold } from '../ledger/entry.ts'
import { openHolds, record } from '../ledger/store.ts'
import { setAmounts } from '../payments/amount-store.ts'
import { heldUnits } from '../payments/held-units.ts'
import { movePayments, violateFinality } from '../payments/move-payments.ts'
import { claimEffects, effectsOfOthers, lockPayments } from '../payments/store.ts'
import type { Payment } from '../payments/payment.ts'
import { noteRemarks } from '../payments/remark-store.ts'
import { remarkOf } from '../payments/remark.ts'
import type { StatusChange } from '../payments/store.ts'
import { lowerSpends, releaseSpends } from '../policies/spends-store.ts'
import type { BuildBook, UntoldBuilds } from '../sender/build-book.ts'
import { followedChain, holdFollowed, standsOnFollowed } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import {
  closePurchases,
  deadBelow,
  forgetPlace,
  forgetUsed,
  noteDead,
  noteUsed,
  putAside,
  settledAbove,
  usedBelow,
} from './live-store.ts'
import type { Place, SignedPurchase, UsedPurchase } from './live-store.ts'
import { askedEnough, forgetDoubt, giveTurnsBack, noteDoubted, takeDoubted } from './doubt-store.ts'
import type { DoubtedPurchase } from './doubt-store.ts'
import { buyersThrough, hasOpenPurchase, purchasesProven } from './store.ts'

/** The books of what sellers were authorised to take: moved by what the chain shows, and closed at finality only. */
export interface PurchaseBook extends BuildBook {
  /**
   * The chain shows that they took effect, in blocks that may still be reorganised away. The payments say what was taken from then on. What is
   * known of one already stays, and a block that the followed chain has left, or has not come to yet, counts for nothing: the follower may
   * read another one of its height, and nobody would take back then what was booked. Gives those that say it now.
   */
  used(
    tx: Tx,
    network: NetworkId,
    used: readonly (Place & { readonly paymentId: PaymentId })[],
  ): Promise<ReadonlySet<PaymentId>>
  /** Proven at finality: they took no effect and never will. Their money and budgets are free again. */
  over(tx: Tx, paymentIds: readonly PaymentId[]): Promise<void>
}

/**
 * Follows authorizations of custodial wallets. Where a known fee payer has to sign (Solana), blocks are read for them like for built
 * transactions; where anybody may submit them (EVM), `watchPurchases` asks.
 */
export function openPurchaseBook({
  clock,
  log,
}: {
  readonly clock: Clock
  readonly log: Log
}): PurchaseBook {
  const used: PurchaseBook['used'] = async (tx, network, found) => {
    if (found.length === 0) return new Set()
    // Whoever follows the chain takes back what it finds here, and must not have been here just now.
    await holdFollowed(tx, network)
    const heights = found.map(({ height }) => height)
    const { hashes } = await followedChain(tx, network, heights)
    const standing: (typeof found)[number][] = []
    for (const each of found) {
      const isRead = hashes.get(each.height) === each.blockHash
      if (isRead || (await standsOnFollowed(tx, network, each))) standing.push(each)
    }
    // Of two instances that look at one, possibly on two forks, the first says it.
    const noted = await noteUsed(tx, standing)
    const first = standing.filter(({ paymentId }) => noted.has(paymentId))
    const changes = first.map(({ paymentId, ...place }) => changeOf(paymentId, place))
    const taken = first.flatMap(({ paymentId, taken: amount }) =>
      amount === undefined ? [] : [{ paymentId, amount }],
    )
    await setAmounts(tx, 'pending', taken)
    const remark = remarkOf('recipient_got_less')
    const less = first.filter(({ isLess }) => isLess === true)
    await noteRemarks(
      tx,
      less.map(({ paymentId }) => ({ paymentId, remark })),
    )
    await movePayments(tx, 'confirmed', changes, clock.nowMilliseconds())
    return noted
  }

  const over: PurchaseBook['over'] = async (tx, paymentIds) => {
    const now = clock.nowMilliseconds()
    const changes = paymentIds.map((paymentId) => changeOf(paymentId, null))
    const ended = [...(await movePayments(tx, 'expired', changes, now))]
    const holds = await openHolds(tx, ended)
    await record(tx, holds.map(release), now)
    await releaseSpends(tx, ended, now)
    await closePurchases(tx, ended, now)
  }

  const reopen = async (tx: Tx, purchases: readonly SignedPurchase[]) => {
    const changes = purchases.map(({ paymentId }) => changeOf(paymentId, null))
    // What a block showed that is gone may show up as another amount in the next one.
    const amounts = purchases.map(({ paymentId, signed }) => ({ paymentId, amount: signed }))
    await setAmounts(tx, 'confirmed', amounts)
    await movePayments(tx, 'pending', changes, clock.nowMilliseconds())
  }

  /** Those of which another payment has the effect: what the chain shows of them is not known then, whatever was believed. */
  async function doubled(
    tx: Tx,
    network: NetworkId,
    found: readonly UsedPurchase[],
    payments: ReadonlyMap<PaymentId, Payment>,
  ): Promise<ReadonlySet<PaymentId>> {
    const sent = await effectsOfOthers(tx, network, found)
    const effects = found.flatMap(({ paymentId, hash, logIndex }) => {
      const payment = payments.get(paymentId)
      if (payment === undefined || sent.has(paymentId)) return []
      const { accountId } = payment
      const place = { network, transactionHash: hash, effectIndex: logIndex }
      return [{ ...place, direction: 'sent' as const, paymentId, accountId }]
    })
    const counted = await claimEffects(tx, effects, clock.nowMilliseconds())
    return new Set([...sent, ...counted])
  }

  async function settle(tx: Tx, network: NetworkId, final: readonly UsedPurchase[]): Promise<void> {
    if (final.length === 0) return
    const now = clock.nowMilliseconds()
    const locked = await lockPayments(
      tx,
      final.map(({ paymentId }) => paymentId),
    )
    const payments = new Map(locked.map((each) => [each.id, each]))
    const others = await doubled(tx, network, final, payments)
    const aside = final.filter(({ paymentId }) => others.has(paymentId))
    for (const { paymentId, hash } of aside) {
      log.error({ network, paymentId, hash }, 'the effect of a purchase counts for another payment')
    }
    await reopen(tx, aside)
    await putAside(tx, [...others])
    const found = final.filter(({ paymentId }) => !others.has(paymentId))
    const ids = found.map(({ paymentId }) => paymentId)
    const changes = found.map(({ paymentId, ...place }) => changeOf(paymentId, place))
    const settled = await movePayments(tx, 'settled', changes, now)
    const holds = await openHolds(tx, [...settled])
    const movedOf = (hold: Hold) => {
      const payment = payments.get(hold.paymentId)
      const own = holds.filter(({ paymentId }) => paymentId === hold.paymentId)
      return payment === undefined ? hold.amount : heldUnits(hold, own, payment)
    }
    const closings = holds.map((hold) => post(hold, { moved: movedOf(hold), fee: 0n }))
    await record(tx, closings, now)
    const less = holds.filter((hold) => movedOf(hold) < hold.amount)
    await lowerSpends(
      tx,
      less.flatMap(({ paymentId }) => {
        const amount = payments.get(paymentId)?.amount
        return amount === undefined ? [] : [{ paymentId, amount }]
      }),
    )
    await closePurchases(tx, ids, now)
  }

  /** Those of which nobody tells whether they failed: asked for again, and after a last time put aside. Pending all the while, with their money held. */
  async function doubt(
    tx: Tx,
    network: NetworkId,
    doubted: readonly DoubtedPurchase[],
  ): Promise<void> {
    const noted = await noteDoubted(tx, doubted, clock.nowMilliseconds())
    const ids = doubted.map(({ paymentId }) => paymentId)
    const aside = await askedEnough(tx, ids)
    await putAside(tx, aside)
    for (const { paymentId, transactionHash: hash } of doubted) {
      const facts = { network, paymentId, hash }
      if (noted.has(paymentId)) {
        log.warn(facts, 'the nodes contradict each other whether a purchase failed: asked again')
      }
      if (aside.includes(paymentId)) {
        log.error(facts, 'nobody tells whether a purchase failed: it is put aside for a person')
      }
    }
  }

  const sighted: PurchaseBook['sighted'] = async (tx, network, sightings) => {
    const keys = sightings.flatMap(({ proofKey }) => (proofKey === null ? [] : [proofKey]))
    const purchases = await purchasesProven(tx, network, keys)
    const dead: { paymentId: PaymentId; height: bigint }[] = []
    const found: (Place & { paymentId: PaymentId })[] = []
    const doubted: DoubtedPurchase[] = []
    for (const { paymentId, proofKey, stored } of purchases) {
      for (const sighting of sightings) {
        if (sighting.proofKey !== proofKey) continue
        const { transactionHash: hash, height, blockHash, succeeded, transfers } = sighting
        const transfer = transfers.find(
          ({ asset, from, to, amount }) =>
            asset === stored['token'] &&
            from === stored['from'] &&
            to === stored['to'] &&
            `${amount}` === stored['value'],
        )
        // The bytes are its whole content: once in a block, no block takes them again.
        if (sighting.isFailureDoubted === true) {
          doubted.push({ paymentId, transactionHash: hash, height, blockHash })
        } else if (!succeeded) dead.push({ paymentId, height })
        else {
          // Whomever the balances call the account's owner by now: these bytes move the money, and they are in.
          const logIndex = transfer?.effectIndex ?? UNREAD_EFFECT_INDEX
          found.push({ paymentId, hash, height, blockHash, logIndex })
        }
      }
    }
    await used(tx, network, found)
    await forgetDoubt(
      tx,
      dead.map(({ paymentId }) => paymentId),
    )
    await noteDead(tx, dead)
    await doubt(tx, network, doubted)
  }

  return {
    used,
    over,
    hasLive: hasOpenPurchase,

    watched: async (tx, network, { cosigned = [] }) => ({
      senders: new Set(),
      commitments: new Set(),
      // A fee payer of others may send hundreds of transactions in each block.
      cosigners: await buyersThrough(tx, network, cosigned),
    }),

    // No purchase is taken over by another account.
    hold: async () => undefined,

    sighted,

    untold: {
      places: async (tx, network) => [await takeDoubted(tx, network, clock.nowMilliseconds())],
      told: sighted,
      unheard: (tx, network, places) =>
        giveTurnsBack(
          tx,
          network,
          places.map(({ transactionHash }) => transactionHash),
        ),
    },

    undone: async (tx, network, height) => {
      const violated = await settledAbove(tx, network, height)
      if (violated.length > 0) await violateFinality(tx, violated, clock.nowMilliseconds())
      await reopen(tx, await forgetUsed(tx, network, height))
    },

    final: async (tx, network, height, count) => {
      const below = await usedBelow(tx, network, height, count)
      const standing: UsedPurchase[] = []
      const elsewhere: SignedPurchase[] = []
      for (const each of below) {
        // A node may have shown a block of another fork than the one that was followed.
        if (await standsOnFollowed(tx, network, each)) standing.push(each)
        else elsewhere.push(each)
      }
      await settle(tx, network, standing)
      await reopen(tx, elsewhere)
      await forgetPlace(
        tx,
        elsewhere.map(({ paymentId }) => paymentId),
      )
      const dead = await deadBelow(tx, network, height, count)
      await over(tx, dead)
      return Math.max(below.length, dead.length)
    },
  }
}

/** Of an effect that its transaction does not show as it was signed; no other payment of ours stands in that transaction. */
const UNREAD_EFFECT_INDEX = 0

/** Two books that are told the same, also of what either of them has untold. */
export function bothBooks(one: BuildBook, other: BuildBook): BuildBook {
  const untold = bothUntold(one.untold, other.untold)
  return {
    hasLive: async (tx, network) =>
      (await one.hasLive(tx, network)) || (await other.hasLive(tx, network)),
    watched: async (tx, network, seen) => {
      const [first, second] = [
        await one.watched(tx, network, seen),
        await other.watched(tx, network, seen),
      ]
      return {
        senders: new Set([...first.senders, ...second.senders]),
        commitments: new Set([...first.commitments, ...second.commitments]),
        cosigners: new Set([...(first.cosigners ?? []), ...(second.cosigners ?? [])]),
      }
    },
    hold: async (tx, network, sightings) => {
      await one.hold(tx, network, sightings)
      await other.hold(tx, network, sightings)
    },
    sighted: async (tx, network, sightings) => {
      await one.sighted(tx, network, sightings)
      await other.sighted(tx, network, sightings)
    },
    ...(untold === undefined ? {} : { untold }),
    undone: async (tx, network, height) => {
      await one.undone(tx, network, height)
      await other.undone(tx, network, height)
    },
    final: async (tx, network, height, count) =>
      Math.max(
        await one.final(tx, network, height, count),
        await other.final(tx, network, height, count),
      ),
  }
}

function bothUntold(
  one: UntoldBuilds | undefined,
  other: UntoldBuilds | undefined,
): UntoldBuilds | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return {
    places: async (tx, network) => [
      ...(await one.places(tx, network)),
      ...(await other.places(tx, network)),
    ],
    told: async (tx, network, sightings) => {
      await one.told(tx, network, sightings)
      await other.told(tx, network, sightings)
    },
    unheard: async (tx, network, places) => {
      await one.unheard?.(tx, network, places)
      await other.unheard?.(tx, network, places)
    },
  }
}

function changeOf(paymentId: PaymentId, place: Place | null): StatusChange {
  return {
    paymentId,
    transactionHash: place?.hash ?? null,
    blockHeight: place?.height ?? null,
    blockHash: place?.blockHash ?? null,
    logIndex: place?.logIndex ?? null,
    // The seller's side paid the network.
    feePaid: place === null ? null : baseUnits(0n),
    failure: null,
  }
}
