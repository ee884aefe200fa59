import type { NetworkId } from '@florin/wire/network.ts'
import { cameToNothing } from '../facilitator/records.ts'
import type { NewReceived, ReceivedRecords, ReceivedState } from '../facilitator/records.ts'
import { isDeepEnough } from '../kernel/deep-enough.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { addToOutbox } from '../events/store.ts'
import { followedChain } from '../sender/follower-store.ts'
import type { PaymentPlaces } from '../sender/standing-sql.ts'
import type { Tx } from '../store/postgres.ts'
import { claimDeposits, makeOwn } from './deposit-store.ts'
import { paymentEvent } from './event.ts'
import { takeForeignEffect } from './foreign-effect-store.ts'
import { movePayments } from './move-payments.ts'
import { newPayment } from './new-payment.ts'
import type { Payment } from './payment.ts'
import { receivedPlace } from './received-place-store.ts'
import { receivedStandings } from './received-state-store.ts'
import type { ReceivedStanding } from './received-state-store.ts'
import { isReleased } from './released.ts'
import { depositOf, nameResource, sentPlace } from './sent-place-store.ts'
import { decidedByOurs } from './status-store.ts'
import type { AskedPayment } from './status-store.ts'
import { findPayment, insertPayments } from './store.ts'
import type { StatusChange } from './store.ts'
import { failMissing, takeDeposit } from './take-deposit.ts'
import type { JustConfirmed, Waits } from './wait.ts'

/** Keeps the records of payments that a seller had settled here. */
export function openReceivedRecords({
  clock,
  waits,
  networks,
  inTransaction,
  isUnderWay = async () => false,
  standingOf = ({ accountId, paymentId }) =>
    inTransaction(accountId, async (tx) => {
      const [standing] = await receivedStandings(tx, [{ accountId, paymentId }])
      return standing
    }),
}: {
  readonly clock: Clock
  readonly waits: Pick<Waits, 'look' | 'listen'>
  readonly networks: ReadonlyMap<NetworkId, NetworkConfig>
  readonly inTransaction: <T>(scope: AccountId, work: (tx: Tx) => Promise<T>) => Promise<T>
  /** Whether nothing has come of a payment so far, asked together with others; left out, every look reads everything. */
  readonly isUnderWay?: (paymentId: PaymentId) => Promise<boolean | undefined>
  /** A payment as it stands for whoever waits, asked together with others; left out, it is read alone. */
  readonly standingOf?: (asked: AskedPayment) => Promise<ReceivedStanding | undefined>
}): ReceivedRecords {
  function stateIn(standing: ReceivedStanding | undefined): ReceivedState | undefined {
    if (standing === undefined) return undefined
    const { payment, places, place, followedHeight } = standing
    const { block, blockHash } = place
    const config = networks.get(payment.network)
    const isDeep = isReleased(payment, config, followedHeight)
    return {
      status: payment.status,
      // Somebody else's transaction is not taken back by the follower: its block must be one that was read.
      released: isDeep && (payment.status === 'settled' || block === 'followed'),
      hash: payment.transactionHash ?? places.newestHash,
      logIndex: payment.logIndex,
      blockHeight: payment.blockHeight,
      blockHash,
      block,
      reverted: places.reverted,
      wasShared: places.wasShared,
      revertedWhole: places.revertedWhole,
      isFinal: places.isFinal,
      isDeep: places.isFinal || isDeepEnough(places.newestBlock?.height, config, followedHeight),
      attemptBlock: places.newestBlock,
      underWay: places.underWay,
    }
  }

  /** Of a transaction that has just paid: no other of the same payment says anything different of what is released. */
  function toldState({ payment, blockHash, followedHeight }: JustConfirmed) {
    const place = { block: 'followed', blockHash } as const
    const height = payment.blockHeight
    const newestBlock = height === null ? null : { height, hash: blockHash }
    const places = { ...JUST_MINED, newestBlock }
    return stateIn({ payment, places, place, followedHeight })
  }

  const state: ReceivedRecords['state'] = async (tx, accountId, paymentId) => {
    const [standing] = await receivedStandings(tx, [{ accountId, paymentId }])
    return stateIn(standing)
  }

  const paidElsewhere: ReceivedRecords['paidElsewhere'] = async (
    tx,
    { accountId, paymentId },
    settlement,
    final,
  ) => {
    const payment = await findPayment(tx, accountId, paymentId)
    if (payment === undefined) throw new Error('a claim has no record')
    const { height } = settlement
    const { network } = payment
    const read = (await followedChain(tx, network, [height])).hashes.get(height)
    if (read !== undefined && read !== settlement.blockHash) return 'replaced'
    if (!(await takeForeignEffect(tx, { accountId, paymentId, network }, settlement))) {
      return 'pays another'
    }
    const change = {
      paymentId,
      transactionHash: settlement.hash,
      blockHeight: settlement.height,
      blockHash: settlement.blockHash,
      logIndex: settlement.logIndex,
      feePaid: null,
      failure: null,
    }
    const now = clock.nowMilliseconds()
    const place = await receivedPlace(tx, paymentId)
    if (payment.status === 'confirmed' && !place.isAt(settlement)) {
      await movePayments(tx, 'pending', [nothing(paymentId)], now)
    }
    const seen = await movePayments(tx, 'confirmed', [change], now)
    if (seen.has(paymentId) && !place.standsIn(settlement.blockHash)) {
      await takeDeposit(tx, payment, settlement, now)
    }
    if (!final) return 'paid'
    const moved = await movePayments(tx, 'settled', [change], now)
    if (!moved.has(paymentId)) return 'paid'
    const effect = {
      id: paymentId,
      accountId,
      status: 'settled' as const,
      transactionHash: settlement.hash,
      height: settlement.height,
      blockHash: settlement.blockHash,
      effectIndex: settlement.logIndex,
    }
    await claimDeposits(tx, network, [effect], now)
    await failMissing(tx, network, [settlement.hash], now)
    return 'paid'
  }

  const openMany: ReceivedRecords['openMany'] = async (tx, received) => {
    const now = clock.nowMilliseconds()
    const payments = received.map((each) => recordOf(each, now))
    await insertPayments(tx, payments)
    // What settles it is signed behind this, in the same transaction.
    const events = payments.map((payment) => paymentEvent(payment, null))
    await addToOutbox(tx, events, now)
  }

  return {
    state,
    decided: decidedByOurs,
    open: (tx, received) => openMany(tx, [received]),

    openMany,

    listen: waits.listen,

    wait: async ({ accountId, paymentId }, until, heard) => {
      const read = async () => stateIn(await standingOf({ accountId, paymentId }))
      let unread = heard
      const seen = await waits.look<ReceivedState | 'under way'>(
        paymentId,
        async (hasBeenWoken, told) => {
          if (told !== undefined) {
            const now = toldState(told)
            // Too young: the slow timer looks again.
            return now?.released === true ? now : 'under way'
          }
          const hasChanged = unread?.hasChanged() ?? hasBeenWoken
          const isJustStored = unread !== undefined && !hasChanged
          unread = undefined
          // There is more to read, and somebody waits for it.
          if (hasChanged) return read()
          return isJustStored || (await isUnderWay(paymentId)) === true ? 'under way' : read()
        },
        (now) => now !== 'under way' && (now.released || isOver(now)),
        until,
      )
      return seen === 'under way' ? read() : seen
    },

    paidElsewhere,

    depositOf: async (tx, { network, asset, amount, payer, payTo }, settlement) => {
      const sent = {
        network: network.network,
        asset: asset.asset,
        sender: payer,
        recipient: payTo,
        amount,
      }
      const deposit = await depositOf(tx, sent, settlement)
      return deposit?.id
    },

    adopt: async (tx, payment, resource, settlement) => {
      if (resource !== null) await nameResource(tx, payment.paymentId, resource)
      await makeOwn(tx, payment.paymentId)
      return (await paidElsewhere(tx, payment, settlement, false)) !== 'pays another'
    },

    mirror: async (tx, payment, sentId) => {
      const record = await findPayment(tx, payment.accountId, payment.paymentId)
      const place = await sentPlace(tx, sentId)
      if (record === undefined || place === undefined) throw new Error('a claim has no record')
      const { paymentId } = payment
      const now = clock.nowMilliseconds()
      // A token that kept nothing in the block that was shown may keep a part in the one that took its place: that is no payment of the whole.
      const settlement = place.isLess ? null : place.settlement
      const isOver =
        place.status === 'failed' ||
        place.status === 'expired' ||
        (place.status === 'settled' && place.isLess)
      const isGone = settlement === null || isOver
      if (record.status === 'confirmed' && isGone) {
        await movePayments(tx, 'pending', [nothing(paymentId)], now)
      }
      if (settlement !== null && !isOver) {
        await paidElsewhere(tx, payment, settlement, place.status === 'settled')
      }
      if (!isOver) return
      const failure = {
        reason: 'no_effect',
        message: place.isLess
          ? 'Of the transfer that was shown less arrived after all.'
          : 'The transfer that was shown failed after all.',
      } as const
      await movePayments(tx, 'failed', [{ ...nothing(paymentId), failure }], now)
    },

    unseen: async (tx, paymentIds) => {
      await movePayments(tx, 'pending', paymentIds.map(nothing), clock.nowMilliseconds())
    },

    expired: async (tx, paymentIds) => {
      await movePayments(tx, 'expired', paymentIds.map(nothing), clock.nowMilliseconds())
    },
  }
}

/** What is known of the places of a payment that one of them has just paid. */
const JUST_MINED: Omit<PaymentPlaces, 'newestBlock'> = {
  underWay: true,
  reverted: false,
  wasShared: false,
  revertedWhole: false,
  isFinal: false,
  newestHash: null,
}

/** The record of a payment that nothing is known of yet but what was asked. */
function recordOf(received: NewReceived, nowMilliseconds: number): Payment {
  const { paymentId, accountId, network, asset, amount, payer, payTo, resource } = received
  return newPayment(
    {
      id: paymentId,
      accountId,
      type: 'received',
      walletId: null,
      amount,
      sender: payer,
      recipient: payTo,
      resource,
    },
    network,
    asset,
    nowMilliseconds,
  )
}

/** Nothing that is under way can change it any more. */
function isOver(state: ReceivedState): boolean {
  const { status } = state
  switch (status) {
    case 'failed':
    case 'expired':
    case 'settled':
      return true
    case 'pending':
      return cameToNothing(state)
    case 'confirmed':
      return false
    default:
      return status satisfies never
  }
}

function nothing(paymentId: PaymentId): StatusChange {
  return {
    paymentId,
    transactionHash: null,
    blockHeight: null,
    blockHash: null,
    logIndex: null,
    feePaid: null,
    failure: null,
  }
}
