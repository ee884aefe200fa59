import type { BaseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain, TransactionHash } from '../chains/chain.ts'
import type { AskedWallet } from '../custody/store.ts'
import type { Wallet } from '../custody/wallet.ts'
import { AfterCommit } from '../http/after-commit.ts'
import { findKey } from '../idempotency/store.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId, parseId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Random } from '../kernel/random.ts'
import { attemptsOfPayments } from '../sender/transaction-store.ts'
import type { Store } from '../store/postgres.ts'
import { CommitUnknown } from '../store/postgres.ts'
import { awaitFollowed } from './await-followed.ts'
import type { PreparedSend } from './prepared-send.ts'
import type { Payment, PaymentStatus } from './payment.ts'
import { refusalOf } from './refusal-of.ts'
import type { SendQueue, Sent } from './send-queue.ts'
import type { Waits } from './wait.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

export interface CarryDeps {
  readonly store: Store
  readonly queue: SendQueue
  readonly waits: Waits
  /** The account's wallet, read anew; sends of one moment may share the reading. */
  readonly walletOf: (asked: AskedWallet) => Promise<Wallet | undefined>
  readonly clock: Clock
  readonly random: Random
  readonly killPoint: (point: KillPoint) => void
}

/** What a node said about a payment, and what that payment is. */
export type Drafted = Pick<
  PreparedSend,
  'recipient' | 'amount' | 'commitment' | 'draft' | 'tradeId' | 'allowance' | 'beside'
>

/** Something to be paid from a custodial wallet, whose last terms only a node can tell. */
export interface CarryOrder {
  readonly requestId: string
  readonly accountId: AccountId
  readonly chain: Chain
  readonly walletAddress: Address
  /** Which field of the request named the wallet. */
  readonly walletField: string
  /** What moves, whole units of which are shown in refusals. */
  readonly asset: AssetProfile
  readonly priorityFee: BaseUnits | null
  readonly resource: string | null
  readonly metadataText: string | null
  /** Under which the idempotency key is kept. */
  readonly operation: string
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
  readonly waitFor: 'submitted' | 'confirmed' | 'settled'
  readonly waitUntilMilliseconds: number
  /** Nobody listens any more: what is not committed by then is not paid. */
  readonly clientGone: AbortSignal
  /** The wait ends and the answer says how far it has come: the caller is gone, or the service stops. */
  readonly waitOver: AbortSignal
  /** Throws when whoever asks was ended meanwhile: then nothing is signed for them any more. */
  readonly demandAdmitted: () => Promise<void>
  /** Asks the node; asked again when its answer has become too old. Refuses what cannot be. */
  readonly drafted: (paymentId: PaymentId) => Promise<Drafted>
}

export interface CarryResult {
  readonly payment: Payment
  /** The newest signed transaction of it that is known here. */
  readonly hash: TransactionHash | null
  /** The same request came before: this is its payment as it stands now. */
  readonly replayed: boolean
}

/**
 * Carries a payment to where its caller waits for it: asks the node, decides and stores in one transaction, and only then lets the
 * bytes out. A refusal means that nothing was stored. After the commit nothing here throws but AfterCommit, which names the payment; one
 * that failed is an answer.
 */
export async function carry(deps: CarryDeps, order: CarryOrder): Promise<CarryResult> {
  const { wallet, earlier } = await lookUp(deps, order)
  if (earlier !== undefined) return join(deps, order, earlier)
  if (wallet === undefined) {
    throw new Refusal('NOT_FOUND', {
      message: 'There is no such wallet.',
      details: { [order.walletField]: 'not a wallet of yours' },
    })
  }
  const paymentId = newId(deps.random, 'pay')
  // However often the node has to be asked again, a caller hears within its own time, or soon after a short one.
  const deadline = Math.max(
    order.waitUntilMilliseconds,
    deps.clock.nowMilliseconds() + ACCEPT_MILLISECONDS_MIN,
  )
  for (let tries = 0; tries <= limits.draftRetriesMax; tries += 1) {
    const drafted = await order.drafted(paymentId)
    const send = { ...order, ...drafted, paymentId, deadlineMilliseconds: deadline }
    let sent = await submit(deps, order, wallet, send)
    // The same draft again once its block has been followed; a draft of another fork is then still stale.
    if (sent.kind === 'stale' && (await awaitFollowed(deps, order, drafted.draft, deadline))) {
      sent = await submit(deps, order, wallet, send)
    }
    switch (sent.kind) {
      case 'committed':
        return afterCommit(deps, order, sent)
      case 'replay':
        return join(deps, order, replayId(sent.paymentId))
      case 'stale':
        if (deps.clock.nowMilliseconds() < deadline) continue
        break
      default:
        throw refusalOf(sent, order)
    }
    break
  }
  throw new Refusal('NETWORK_ERROR', {
    retryAfterSeconds: 1,
    message: "The node's view of this wallet stays behind what is known to have happened.",
  })
}

const ACCEPT_MILLISECONDS_MIN = 5_000

/** Two reads that need not agree with each other: the signing transaction asks both again, under its locks. */
async function lookUp(
  { store, walletOf }: CarryDeps,
  { accountId, chain, walletAddress, once, operation }: CarryOrder,
): Promise<{ wallet: Wallet | undefined; earlier: PaymentId | undefined }> {
  const claim = once === null ? undefined : await findKey(store, { accountId, operation, ...once })
  if (claim?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
  if (claim?.kind === 'replay') return { wallet: undefined, earlier: replayId(claim.resourceId) }
  return {
    wallet: await walletOf({ accountId, family: chain.config.family, address: walletAddress }),
    earlier: undefined,
  }
}

async function submit(
  deps: CarryDeps,
  order: CarryOrder,
  wallet: Wallet,
  send: PreparedSend,
): Promise<Sent> {
  await order.demandAdmitted()
  try {
    return await deps.queue.submit(order.chain, wallet, send, order.clientGone)
  } catch (error) {
    // Nobody can say whether it was stored: the caller must know the id that it would have.
    if (error instanceof CommitUnknown) throw new AfterCommit(send.paymentId, error)
    throw error
  }
}

async function afterCommit(
  deps: CarryDeps,
  order: CarryOrder,
  { payment, signed, broadcast }: Extract<Sent, { kind: 'committed' }>,
): Promise<CarryResult> {
  const result = { payment, hash: signed.hash, replayed: false }
  if (order.waitFor === 'submitted') {
    await Promise.race([broadcast, deps.clock.sleep(left(deps, order), order.waitOver)])
    return result
  }
  try {
    return { ...result, payment: await waitFor(deps, order, payment) }
  } catch {
    // It is committed, and this is how far it was seen to come; nothing here may look as if it were not.
    return result
  }
}

/** The payment of an earlier identical request, joined in its wait. */
async function join(deps: CarryDeps, order: CarryOrder, id: PaymentId): Promise<CarryResult> {
  const { accountId } = order
  try {
    const payment = await waitFor(deps, order, { accountId, id })
    const attempts = await deps.store.inTransaction(accountId, (tx) => attemptsOfPayments(tx, [id]))
    return { payment, hash: attempts.get(id)?.at(-1)?.hash ?? null, replayed: true }
  } catch (error) {
    throw new AfterCommit(id, error)
  }
}

async function waitFor(
  { waits, killPoint }: CarryDeps,
  order: CarryOrder,
  { accountId, id }: { accountId: AccountId; id: PaymentId },
): Promise<Payment> {
  const payment = await waits.until(
    { accountId, id },
    (status) => hasReached(status, order.waitFor),
    { atMilliseconds: order.waitUntilMilliseconds, over: order.waitOver },
  )
  if (payment === undefined) throw new Error('a committed payment was not found')
  killPoint('send.before-answer')
  return payment
}

/** Whether a status ends the wait that was asked for. */
export function hasReached(status: PaymentStatus, waitFor: CarryOrder['waitFor']): boolean {
  switch (status) {
    case 'settled':
    case 'failed':
    case 'expired':
      return true
    case 'confirmed':
      return waitFor !== 'settled'
    case 'pending':
      return waitFor === 'submitted'
    default:
      return status satisfies never
  }
}

function left({ clock }: CarryDeps, { waitUntilMilliseconds }: CarryOrder): number {
  return Math.max(0, waitUntilMilliseconds - clock.nowMilliseconds())
}

function replayId(text: string): PaymentId {
  const id = parseId('pay', text)
  if (id === undefined) throw new Error('an idempotency key of a send names no payment')
  return id
}
