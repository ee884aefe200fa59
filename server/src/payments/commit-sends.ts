import { baseUnits } from '@florin/wire/amount.ts'
import type { Chain, SignedTransaction } from '../chains/chain.ts'
import type { Signer } from '../chains/signer.ts'
import { keepWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { addToOutbox } from '../events/store.ts'
import { claimKeys, giveKeysBack } from '../idempotency/store.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { networkStanding } from '../sender/follower-store.ts'
import type { Lane } from '../sender/lane-store.ts'
import { CHAIN_AHEAD, advanceLane, freezeLane, lockLane } from '../sender/lane-store.ts'
import type { TradeBook } from '../sender/trade-book.ts'
import { storeTransactions } from '../sender/transaction-store.ts'
import type { NewTransaction } from '../sender/transaction-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Decided, Funding, Refused } from './decide-sends.ts'
import { decideSends } from './decide-sends.ts'
import { nameFunds } from './name-funds.ts'
import { paymentEvent } from './event.ts'
import { bookHolds } from './hold.ts'
import { newPayment } from './new-payment.ts'
import type { Payment } from './payment.ts'
import type { PreparedSend } from './prepared-send.ts'
import { insertPayments } from './store.ts'

/** What the signing transaction decided for one send. Only `committed` has stored anything. */
export type SendDecision =
  | {
      readonly kind: 'committed'
      readonly payment: Payment
      readonly signed: SignedTransaction
      /** What has to be in right before it. */
      readonly before: SignedTransaction | null
    }
  | { readonly kind: 'replay'; readonly paymentId: string }
  | { readonly kind: 'mismatch' | 'frozen' | 'halted' | 'unfollowed' | 'wallet_gone' }
  | Refused

export interface CommitDeps {
  readonly chain: Chain
  readonly wallet: Wallet
  readonly signer: Signer
  readonly nowMilliseconds: number
  readonly killPoint: (point: KillPoint) => void
  /** Left out where nothing is traded. */
  readonly trades?: Pick<TradeBook, 'holdUnbooked' | 'unbooked'> | undefined
}

/** The operation under which idempotency keys of sends are kept: one for both spellings of the path. */
export const SEND_OPERATION = 'sendPayment'

/**
 * Decides and stores sends of one wallet in one transaction: lane lock, idempotency keys, budget, money, signature, then
 * payment, place, signed bytes, hold and event together. One decision per send, in order. Nothing here asks a node.
 */
export async function commitSends(
  tx: Tx,
  deps: CommitDeps,
  sends: readonly PreparedSend[],
): Promise<readonly SendDecision[]> {
  const { chain, wallet, killPoint } = deps
  const { network } = chain.config
  killPoint('send.before-transaction')
  const standing = await networkStanding(tx, network)
  if (standing !== 'followed') return sends.map(() => ({ kind: standing }))

  const used = sends.reduce(
    (most, { draft }) => (draft.laneLatest > most ? draft.laneLatest : most),
    0n,
  )
  const lane = await lockLane(tx, network, wallet.address, used)
  if (!(await keepWallet(tx, wallet.id))) return sends.map(() => ({ kind: 'wallet_gone' }))

  const decisions = await claimSendKeys(tx, deps, sends)
  const fresh = sends.filter(({ paymentId }) => !decisions.has(paymentId))
  if (used > lane.nextNonce && lane.frozenReason === null) {
    await freezeLane(tx, network, lane.address, CHAIN_AHEAD)
  }
  if (used > lane.nextNonce || lane.frozenReason !== null) {
    for (const { paymentId } of fresh) decisions.set(paymentId, { kind: 'frozen' })
  } else if (fresh.length > 0) {
    const decided = await decideSends(
      tx,
      { chain, wallet, nowMilliseconds: deps.nowMilliseconds, trades: deps.trades },
      fresh,
    )
    for (const [paymentId, refused] of decided.refused) decisions.set(paymentId, refused)
    const accepted = fresh.filter(({ paymentId }) => !decided.refused.has(paymentId))
    const found = { funds: decided.funding, lookedAt: decided.lookedAt }
    for (const committed of await signAndStore(tx, deps, lane, accepted, found)) {
      decisions.set(committed.payment.id, committed)
    }
  }
  await giveBackUnused(tx, deps, fresh, decisions)
  killPoint('send.before-commit')
  return sends.map(({ paymentId }) => decisionOf(decisions, paymentId))
}

type Decisions = Map<PaymentId, SendDecision>

/** Claims the idempotency keys and gives the decisions of repeats. Every other send owns its key from now on. */
async function claimSendKeys(
  tx: Tx,
  deps: CommitDeps,
  sends: readonly PreparedSend[],
): Promise<Decisions> {
  const keyed = sends.flatMap((send) => (send.once === null ? [] : [{ send, once: send.once }]))
  const claims = await claimKeys(
    tx,
    keyed.map(({ send, once }) => ({
      accountId: deps.wallet.accountId,
      operation: send.operation ?? SEND_OPERATION,
      key: once.key,
      fingerprint: once.fingerprint,
      resourceId: send.paymentId,
    })),
    deps.nowMilliseconds,
  )
  const decisions: Decisions = new Map()
  keyed.forEach(({ send }, index) => {
    const claim = claims[index]
    if (claim?.kind === 'replay')
      decisions.set(send.paymentId, { kind: 'replay', paymentId: claim.resourceId })
    if (claim?.kind === 'mismatch') decisions.set(send.paymentId, { kind: 'mismatch' })
  })
  return decisions
}

/** Signs and stores what was accepted: afterwards everything that is needed to finish or undo it is in the database. */
async function signAndStore(
  tx: Tx,
  deps: CommitDeps,
  lane: Lane,
  accepted: readonly PreparedSend[],
  { funds, lookedAt }: { funds: readonly Funding[]; lookedAt: Decided['lookedAt'] },
): Promise<readonly Extract<SendDecision, { kind: 'committed' }>[]> {
  const { chain, wallet, signer, nowMilliseconds } = deps
  const committed: Extract<SendDecision, { kind: 'committed' }>[] = []
  const places: NewTransaction[] = []
  for (const send of accepted) {
    const payment = paymentOf(send, deps)
    const { allowance = null, draft, requestId } = send
    let before: SignedTransaction | null = null
    if (allowance !== null) {
      const nonce = lane.nextNonce + BigInt(places.length)
      before = await chain.sign(allowance.terms, nonce, signer)
      const { terms, feeCeiling } = allowance
      const beforePayment = payment.id
      places.push({
        nonce,
        terms,
        feeCeiling,
        beforePayment,
        signed: before,
        paymentIds: [],
        requestId,
      })
    }
    const nonce = lane.nextNonce + BigInt(places.length)
    const signed = await chain.sign(draft.terms, nonce, signer)
    // Each place raises its fee within its own ceiling; the hold covers both.
    const feeCeiling = baseUnits(draft.feeCeiling - (allowance?.feeCeiling ?? 0n))
    places.push({
      nonce,
      terms: draft.terms,
      feeCeiling,
      signed,
      paymentIds: [payment.id],
      requestId,
    })
    committed.push({ kind: 'committed', payment, signed, before })
  }
  const payments = committed.map(({ payment }) => payment)
  if (payments.length > 0) {
    await insertPayments(tx, payments)
    await storeTransactions(tx, lane, places, nowMilliseconds)
    await advanceLane(tx, lane, places.length)
    for (const { beside } of accepted) await beside?.(tx, nowMilliseconds)
  }
  const known = await nameFunds(tx, deps, funds, lookedAt)
  await bookHolds(tx, { wallet, config: chain.config, nowMilliseconds }, known, payments)
  await addToOutbox(
    tx,
    committed.map(({ payment, signed }) => paymentEvent(payment, signed.hash)),
    nowMilliseconds,
  )
  return committed
}

function paymentOf(send: PreparedSend, { chain, wallet, nowMilliseconds }: CommitDeps): Payment {
  return newPayment(
    {
      id: send.paymentId,
      accountId: wallet.accountId,
      type: 'sent',
      walletId: wallet.id,
      amount: send.amount,
      sender: wallet.address,
      recipient: send.recipient,
      resource: send.resource,
      metadataText: send.metadataText,
      priorityFee: send.priorityFee ?? send.draft.priorityFee ?? null,
      feeCeiling: baseUnits(send.draft.feeCeiling),
      commitment: send.draft.carriesCommitment ? send.commitment : null,
      ...(send.tradeId === undefined ? {} : { tradeId: send.tradeId }),
    },
    chain.config,
    send.asset,
    nowMilliseconds,
  )
}

async function giveBackUnused(
  tx: Tx,
  { wallet }: CommitDeps,
  fresh: readonly PreparedSend[],
  decisions: Decisions,
): Promise<void> {
  const unused = fresh.flatMap(({ paymentId, once, operation }) =>
    once === null || decisions.get(paymentId)?.kind === 'committed'
      ? []
      : [
          {
            accountId: wallet.accountId,
            operation: operation ?? SEND_OPERATION,
            key: once.key,
            resourceId: paymentId,
          },
        ],
  )
  await giveKeysBack(tx, unused)
}

/** Two equal requests in one batch: the second shares what became of the first, a refusal too. */
function decisionOf(decisions: Decisions, paymentId: PaymentId): SendDecision {
  const decision = decisions.get(paymentId)
  if (decision === undefined) throw new Error('a send was left undecided')
  if (decision.kind !== 'replay') return decision
  const first = [...decisions].find(([id]) => id === decision.paymentId)?.[1]
  return first === undefined || first.kind === 'committed' ? decision : first
}
