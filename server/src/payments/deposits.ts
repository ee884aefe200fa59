import type { Clock } from '../kernel/clock.ts'
import { lookSoon } from '../facilitator/claim-looks-store.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Random } from '../kernel/random.ts'
import type { Deposit, DepositBook } from '../sender/deposit-book.ts'
import {
  claimDeposits,
  depositsAbove,
  holdDeposits,
  receiptsOf,
  standIn,
  tradersOf,
  unsettledDeposits,
} from './deposit-store.ts'
import type { KnownReceipt, SeenDeposit } from './deposit-store.ts'
import { movePayments, violateFinality } from './move-payments.ts'
import { newPayment } from './new-payment.ts'
import type { Payment } from './payment.ts'
import { insertPayments } from './store.ts'
import type { StatusChange } from './store.ts'
import { failMissing, unseen } from './take-deposit.ts'

/** A deposit with the record that it has already, if any, and its number among the equal transfers of its transaction. */
interface Numbered {
  readonly deposit: Deposit
  readonly occurrence: number
  readonly known: KnownReceipt | undefined
}

/**
 * Keeps one record of type `received` per transfer that comes to a custodial wallet. It tells what happened on chain and books nothing: the
 * money enters the ledger when a send first needs it. A transfer that turns out to have paid a claim is told by the claim's record.
 */
export function openDepositBook({ clock, random }: { clock: Clock; random: Random }): DepositBook {
  return {
    arrived: async (tx, config, arrivals) => {
      const { network } = config
      const hashes = [...new Set(arrivals.map(({ transactionHash }) => transactionHash))]
      const traders = await tradersOf(tx, network, hashes)
      // What a trade brought in is told by the trade.
      const deposits = arrivals.filter(
        ({ transactionHash, to }) => traders.get(transactionHash) !== to,
      )
      const numbered = numberedBy(await receiptsOf(tx, network, hashes), deposits)
      const now = clock.nowMilliseconds()
      for (let from = 0; from < numbered.length; from += limits.depositsPerStatementMax) {
        const part = numbered.slice(from, from + limits.depositsPerStatementMax)
        const named = part.map((each) => ({ ...each, id: each.known?.id ?? newId(random, 'pay') }))
        const fresh = named.filter(({ known }) => known === undefined)
        await insertPayments(
          tx,
          fresh.map(({ id, deposit, occurrence }) => ({
            ...recordOf(id, deposit, config, now),
            occurrence,
          })),
        )
        // What a claim's record is found to be in this block later is one of these transfers, and has been counted with them.
        await standIn(
          tx,
          part.flatMap(({ known, deposit: { blockHash } }) =>
            known === undefined || known.occurrence !== null || known.blockHash === blockHash
              ? []
              : [{ id: known.id, blockHash }],
          ),
        )
        const own = named.filter(({ known }) => known?.occurrence !== null)
        await movePayments(
          tx,
          'confirmed',
          own.map(({ id, deposit }) => seen(id, deposit)),
          now,
        )
      }
    },

    undone: async (tx, network, height) => {
      const gone = await depositsAbove(tx, network, height)
      const now = clock.nowMilliseconds()
      const reopened = gone.filter(({ status }) => status === 'confirmed')
      await movePayments(tx, 'pending', reopened.map(unseen), now)
      const violated = gone.filter(({ status }) => status === 'settled').map(({ id }) => id)
      if (violated.length > 0) await violateFinality(tx, violated, now)
    },

    final: async (tx, network, height, count) => {
      const now = clock.nowMilliseconds()
      await lookSoon(tx, await holdDeposits(tx, network, height, now))
      const closing = await unsettledDeposits(tx, network, height, count, now)
      const changes = closing.map((deposit) => seen(deposit.id, deposit))
      const done = await movePayments(tx, 'settled', changes, now)
      const settled = closing.filter(({ id }) => done.has(id))
      await claimDeposits(tx, network, settled, now)
      // A transaction that is final took effect once: what it showed in a block that is gone, and not in this one, never was.
      const hashes = [...new Set(settled.map(({ transactionHash }) => transactionHash))]
      await failMissing(tx, network, hashes, now)
      return closing.length
    },
  }
}

/**
 * The nth of equal transfers is the nth record of such a transfer, in whichever block and under whichever index it is seen again. One
 * without a record takes a number that none has: the record of a caller's claim may come and go between.
 */
function numberedBy(
  known: readonly KnownReceipt[],
  deposits: readonly Deposit[],
): readonly Numbered[] {
  const left = Map.groupBy(known, (receipt) =>
    contentOf({ ...receipt, from: receipt.sender, to: receipt.recipient }),
  )
  const counted = new Map<string, number>()
  return deposits.map((deposit) => {
    const content = contentOf(deposit)
    const occurrence = counted.get(content) ?? 0
    counted.set(content, occurrence + 1)
    const records = left.get(content) ?? []
    const highest = Math.max(-1, ...records.map((record) => record.occurrence ?? -1))
    // The records stand in front, so the nth transfer without one is the nth behind the highest number.
    const free = Math.max(occurrence, highest + 1 + occurrence - records.length)
    const known = records[occurrence]
    return { deposit, occurrence: known === undefined ? free : occurrence, known }
  })
}

function contentOf(transfer: {
  readonly transactionHash: string
  readonly asset: string
  readonly from: string
  readonly to: string
  readonly amount: bigint
}): string {
  const { transactionHash, asset, from, to, amount } = transfer
  return [transactionHash, asset, from, to, amount].join(' ')
}

function recordOf(
  id: PaymentId,
  { accountId, walletId, asset, amount, from, to, transactionHash }: Deposit,
  config: NetworkConfig,
  nowMilliseconds: number,
): Payment {
  const profile = config.assets.find((candidate) => candidate.asset === asset)
  if (profile === undefined) throw new Error(`a deposit of ${asset}, which is not configured`)
  return newPayment(
    {
      ...{ id, accountId, type: 'received', walletId, amount, sender: from, recipient: to },
      transactionHash,
    },
    config,
    profile,
    nowMilliseconds,
  )
}

function seen(
  paymentId: PaymentId,
  place: Pick<SeenDeposit, 'transactionHash' | 'height' | 'blockHash' | 'effectIndex'>,
): StatusChange {
  return {
    paymentId,
    transactionHash: place.transactionHash,
    blockHeight: place.height,
    blockHash: place.blockHash,
    logIndex: place.effectIndex,
    feePaid: null,
    failure: null,
  }
}
