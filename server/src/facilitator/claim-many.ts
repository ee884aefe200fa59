import type { Chain } from '../chains/chain.ts'
import type { SettlementDraft, SettlementPart } from '../chains/exact.ts'
import { receiverAccounts } from '../custody/receiver-store.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import { limits } from '../kernel/limits.ts'
import { networkFollowed } from '../sender/follower-store.ts'
import { advanceLane, lockLane, openCeilings } from '../sender/lane-store.ts'
import { storeTransactions } from '../sender/transaction-store.ts'
import type { NewTransaction } from '../sender/transaction-store.ts'
import type { Tx } from '../store/postgres.ts'
import { claimFor, recordFor } from './claim-alone.ts'
import type { Beginning, Begun, ClaimDeps } from './beginning.ts'
import { insertClaims } from './claim-store.ts'
import { nameKey, takeFreeIdentifiers } from './identifier-store.ts'
import type { NamedPayment } from './identifier-store.ts'
import { reserveSponsoringOfMany } from './sponsoring.ts'

/** A claim to be made, with what settling it takes. */
export interface ClaimOrder {
  readonly beginning: Beginning
  readonly draft: SettlementDraft
}

/** Some of them need a word of their own: everything is rolled back, and those are claimed alone. */
export class NotTogether extends Error {
  override readonly name = 'NotTogether'
  readonly apart: ReadonlySet<ClaimOrder>
  constructor(message: string, apart: Iterable<ClaimOrder>) {
    super(message)
    this.apart = new Set(apart)
  }
}

/**
 * Makes new claims that one key settles, in one transaction: claims, names, records, budgets, lane, signatures and bytes. What became of
 * each, in order. Throws NotTogether where one would have to be rolled back without its neighbours. Locks in the order of a lone claim:
 * claims, names, budgets, lane.
 */
export async function claimMany(
  tx: Tx,
  { records, clock }: Pick<ClaimDeps, 'records' | 'clock'>,
  {
    chain,
    settler,
    signer,
    areApart,
  }: { chain: Chain; settler: Wallet; signer: OpenSigner; areApart: boolean },
  orders: readonly ClaimOrder[],
): Promise<readonly Begun[]> {
  const { network, family } = chain.config
  const now = clock.nowMilliseconds()
  // Statements that need nothing of each other are sent one behind the other: each answer that is waited for costs both processes a turn.
  const [{ standing, height: since }, owners] = await Promise.all([
    networkFollowed(tx, network),
    receiverAccounts(
      tx,
      orders.map(({ beginning }) => ({ family, address: beginning.intake.authorization.payTo })),
    ),
  ])
  if (standing !== 'followed') {
    return orders.map(() => ({ kind: 'refused', reason: 'network_unavailable' }))
  }
  const isForeign = ({ beginning }: ClaimOrder, index: number) =>
    owners[index] !== undefined && owners[index] !== beginning.accountId
  const own = orders.filter((order, index) => !isForeign(order, index))
  const made = await insertClaims(
    tx,
    own.map(({ beginning }) => claimFor(beginning, since)),
    now,
    now + limits.carriedClaimSeconds * 1000,
  )
  const held = own.filter(({ beginning }) => made.has(beginning.paymentId))
  const signed = new Map<string, NewTransaction>()
  const transactions: NewTransaction[] = []
  if (held.length > 0) {
    const nameless = await withoutTheirName(tx, held, now)
    if (nameless.length > 0) throw new NotTogether('a name is another payment’s', nameless)
    const sponsored = held.map(({ beginning: { accountId, intake }, draft }) => ({
      accountId,
      payer: intake.authorization.payer,
      draft,
    }))
    const used = held.reduce((most, { draft }) => larger(most, draft.laneLatest), 0n)
    const [, over, lane] = await Promise.all([
      records.openMany(
        tx,
        held.map(({ beginning }) => recordFor(beginning)),
      ),
      reserveSponsoringOfMany(tx, chain.config, sponsored, now),
      lockLane(tx, network, settler.address, used),
    ])
    if (over.size > 0) {
      const apart = held.filter((_, index) => over.has(index))
      throw new NotTogether('a gas budget does not hold all of them', apart)
    }
    if (lane.frozenReason !== null || used > lane.nextNonce) {
      throw new NotTogether('the lane takes none of them', orders)
    }
    const balance = held.reduce((least, { draft }) => smaller(least, draft.settlerBalance), MOST)
    const parts = partsOf(chain, held, areApart)
    const ceilings = parts.reduce((sum, { draft }) => sum + draft.feeCeiling, 0n)
    if ((await openCeilings(tx, lane)) + ceilings > balance) {
      throw new NotTogether('the key may not have enough for all of them', orders)
    }
    for (const [place, { indexes, draft }] of parts.entries()) {
      const carried = indexes.flatMap((index) => held[index]?.beginning ?? [])
      const nonce = lane.nextNonce + BigInt(place)
      const transaction = {
        nonce,
        terms: draft.terms,
        signed: await chain.sign(draft.terms, nonce, signer),
        feeCeiling: draft.feeCeiling,
        paymentIds: carried.map(({ paymentId }) => paymentId),
        requestId: carried[0]?.requestId,
      }
      transactions.push(transaction)
      for (const { paymentId } of carried) signed.set(paymentId, transaction)
    }
    await Promise.all([
      storeTransactions(tx, lane, transactions, now),
      advanceLane(tx, lane, transactions.length),
    ])
  }
  return orders.map((order, index): Begun => {
    if (isForeign(order, index)) return { kind: 'refused', reason: 'receiver_of_another_account' }
    const transaction = signed.get(order.beginning.paymentId)
    return transaction === undefined
      ? { kind: 'taken' }
      : { kind: 'signed', network, signed: transaction.signed }
  })
}

/** Those whose name another payment has, in the same transaction too; a lone claim says what becomes of that. */
async function withoutTheirName(
  tx: Tx,
  held: readonly ClaimOrder[],
  nowMilliseconds: number,
): Promise<readonly ClaimOrder[]> {
  const first = new Map<string, NamedPayment>()
  for (const { named } of held.map(({ beginning }) => beginning)) {
    if (named !== undefined && !first.has(nameKey(named))) first.set(nameKey(named), named)
  }
  const taken = await takeFreeIdentifiers(tx, [...first.values()], nowMilliseconds)
  return held.filter(({ beginning: { named } }) => named !== undefined && !taken.has(named))
}

/** Which of them share a transaction on chain. All have the settler's chain in common, and with it the scheme. */
function partsOf(
  { exact }: Chain,
  held: readonly ClaimOrder[],
  areApart: boolean,
): readonly SettlementPart[] {
  const waiting = held.map(({ beginning: { intake, isAlone = false }, draft }) => ({
    authorization: intake.authorization,
    draft,
    isAlone: isAlone || areApart,
  }))
  return exact?.share?.(waiting) ?? waiting.map(({ draft }, index) => ({ indexes: [index], draft }))
}

/** No balance is larger. */
const MOST = 2n ** 256n

function smaller(a: bigint, b: bigint): bigint {
  return a < b ? a : b
}

function larger(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}
