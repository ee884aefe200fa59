import { Refusal } from '@florin/wire/errors.ts'
import { familyOf } from '@florin/wire/network.ts'
import type { Family } from '@florin/wire/network.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { ExactLack } from '../chains/exact.ts'
import { authorizationOf } from '../facilitator/authorization-of.ts'
import { claimOfPayment } from '../facilitator/claim-store.ts'
import { followReverted } from '../facilitator/follow-reverted.ts'
import type { Once } from '../facilitator/give.ts'
import { givenUnderKey } from '../facilitator/given-under-key.ts'
import { takeIn } from '../facilitator/intake.ts'
import { joinClaim } from '../facilitator/join.ts'
import type { ClaimedPayment, Joined, JoinOrder } from '../facilitator/join.ts'
import { settlePayment } from '../facilitator/settle.ts'
import { settleElsewhere } from '../facilitator/settle-elsewhere.ts'
import type { ElsewhereDeps } from '../facilitator/settle-elsewhere.ts'
import type { RemoteClient } from '../facilitator/remote.ts'
import { parseId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { expectationOf, isForResource, requirementsOf } from './expectation.ts'
import type { Expectation, Said } from './expectation.ts'
import { receiveTransfer } from './receive-transfer.ts'
import type { TransferDeps, TransferReceived } from './receive-transfer.ts'
import { refusalOf } from '../facilitator/refusal-of.ts'
import { readShownProof } from './shown-proof.ts'
import type { ShownProof } from './shown-proof.ts'
import { findPayment } from './store.ts'

export interface ReceiveDeps extends ElsewhereDeps, TransferDeps {
  readonly directory: ChainDirectory
}

export interface ReceiveOrder extends JoinOrder {
  readonly said: Said
  readonly proofText: string
  readonly resource: string | undefined
  readonly requestId: string
  /** Another facilitator that is to settle it; left out, this service does. */
  readonly remote?: RemoteClient
  readonly once: Once | null
}

/** What the seller's own part of a request is called in it. */
export const RECEIVE_FIELDS = { recipient: 'walletAddress', amount: 'expectedAmount' } as const

/** A payment that may be told as a success; everything else is thrown as the refusal that says it. */
export type Received = Extract<Joined, { kind: 'settled' }>

/**
 * Settles what a buyer sent, against nothing but the seller's own words, and waits until it is on chain. The same key gets a success
 * again, whatever became of the payment since.
 */
export async function receivePayment(deps: ReceiveDeps, order: ReceiveOrder): Promise<Received> {
  const known = await earlier(deps, order)
  if (known !== undefined) return successOf(deps, order, known)
  const read = readShownProof(order.proofText)
  if (!read.ok) {
    throw refusalOf(read.reason, { paymentProof: 'is not a payment proof of an enabled kind' })
  }
  const { shown } = read
  const expected = expectationOf(deps.directory, order.said, RECEIVE_FIELDS, shown)
  if (!isForResource(shown, order.resource)) {
    throw refusalOf('resource_mismatch', { resource: 'the proof is for something else' })
  }
  const { resource, remote } = order
  if (remote !== undefined) requireRemote(shown, expected)
  const received =
    shown.scheme === 'transfer'
      ? await receiveTransfer(deps, { ...order, ...shown, expected, resource })
      : await receiveExact(deps, order, shown, expected)
  return successOf(deps, order, received)
}

/** Joins a payment of the account that was begun before. Refuses NOT_FOUND. */
export async function joinPayment(
  deps: ReceiveDeps,
  order: JoinOrder & { readonly once: Once | null },
  paymentIdText: string,
): Promise<Received> {
  const known = await earlier(deps, order)
  if (known !== undefined) return successOf(deps, order, known)
  const paymentId = parseId('pay', paymentIdText)
  if (paymentId === undefined) throw new Refusal('NOT_FOUND')
  return successOf(deps, order, await joinById(deps, order, paymentId))
}

/** The success that the key got before. Refuses IDEMPOTENCY_MISMATCH when it was used for something else. */
async function earlier(
  deps: ReceiveDeps,
  order: JoinOrder & { readonly once: Once | null },
): Promise<Joined | undefined> {
  const paymentId = await givenUnderKey(deps.store, order.accountId, order.once)
  return paymentId && joinById(deps, order, paymentId)
}

async function joinById(
  deps: ReceiveDeps,
  order: JoinOrder,
  paymentId: PaymentId,
): Promise<Joined> {
  const claim = await deps.store.inTransaction(order.accountId, async (tx) => {
    const found = await claimOfPayment(tx, order.accountId, paymentId)
    if (found !== undefined) return found
    const isOwn = (await findPayment(tx, order.accountId, paymentId)) !== undefined
    throw new Refusal('NOT_FOUND', isOwn ? { message: noProofOf(paymentId) } : {})
  })
  const joined = await joinClaim(deps, order, claim)
  if (joined.kind !== 'reverted') return joined
  // It is being tried again alone by whoever has the payment itself.
  if (joined.state.wasShared) return { ...joined, kind: 'pending' }
  const chain = deps.chains.get(claim.network)
  const authorization = chain && authorizationOf(claim, chain)
  // Nobody here can say what became of it any more, until it is configured again.
  if (chain?.exact === undefined || authorization === undefined) {
    return { ...joined, kind: 'pending' }
  }
  const { exact } = chain
  const payment = { x402Version: claim.x402Version ?? 2 } as const
  const intake = { chain, exact, authorization, resource: null, payment }
  return followReverted(deps, order, claim, intake, joined)
}

/** A payment that was sent from here, or that came to a wallet by itself. */
function noProofOf(paymentId: PaymentId): string {
  return `Nobody presented a proof for this payment, so there is nothing to settle. Where it stands is at GET /payment/status/${paymentId}.`
}

type Refused = {
  readonly kind: 'refused'
  readonly reason: Reason
  readonly message?: string
  readonly lacks?: ExactLack
}

async function receiveExact(
  deps: ReceiveDeps,
  order: ReceiveOrder,
  shown: Extract<ShownProof, { scheme: 'exact' }>,
  expected: Expectation,
): Promise<Joined | Refused> {
  const presented = {
    paymentPayload: shown.header,
    paymentRequirements: requirementsOf(expected, shown),
    ...(order.resource === undefined ? {} : { resource: order.resource }),
  }
  const { remote } = order
  const settled =
    remote === undefined
      ? await settlePayment(deps, { ...order, presented })
      : await settleElsewhere(deps, { ...order, presented, remote })
  if (settled.kind !== 'refused') return settled
  const { reason, message, lacks } = settled
  const isLate =
    reason === 'invalid_exact_evm_payload_authorization_valid_before' ||
    reason === 'permit2_deadline_expired'
  if (isLate) {
    // Too late to settle may mean that it was settled long ago: then nobody should be asked for a fresh one.
    const taken = takeIn(presented, deps.chains, deps.settlersOf)
    const used = taken.ok && (await taken.intake.exact.finalState(taken.intake.authorization))
    if (used === 'used') return { kind: 'refused', reason: 'invalid_exact_evm_nonce_already_used' }
  }
  return {
    kind: 'refused',
    reason,
    ...(message === undefined ? {} : { message }),
    ...(lacks === undefined ? {} : { lacks }),
  }
}

/** What another facilitator can settle with this service looking on: only EVM shows by whom an authorization was used up. */
export function requireRemote(shown: ShownProof, { chain }: Expectation): void {
  if (shown.scheme === 'exact' && chain.config.family === 'evm') return
  const rule = 'settles payments of x402 on EVM networks only; leave it out for this one'
  throw new Refusal('INVALID_PARAMETERS', { details: { facilitatorUrl: rule } })
}

async function successOf(
  { store }: ReceiveDeps,
  { accountId }: JoinOrder,
  received: Joined | TransferReceived | Refused,
): Promise<Received> {
  switch (received.kind) {
    case 'settled':
      return received
    case 'pending':
      throw refusalOf('settlement_pending', namesOf(received))
    case 'waiting':
      throw refusalOf('settlement_pending', { signature: received.hash })
    case 'reverted':
    case 'expired': {
      const { paymentId } = received
      const { payment, claim } = await store.inTransaction(accountId, async (tx) => ({
        payment: await findPayment(tx, accountId, paymentId),
        claim: await claimOfPayment(tx, accountId, paymentId),
      }))
      if (payment === undefined) throw new Error('a claim has no record')
      const isPermit2 = claim?.stored['method'] === 'permit2'
      const words = ENDED[isPermit2 ? 'permit2' : familyOf(payment.network)]
      if (received.kind === 'reverted') throw refusalOf(words.reverted, namesOf(received))
      // Proven: it moved nothing and never will.
      throw new Refusal('INVALID_PAYMENT_PROOF', {
        details: { ...namesOf(received), reason: words.expired },
      })
    }
    case 'duplicate': {
      const { own } = received
      if (own === null) throw refusalOf('duplicate_settlement')
      const { firstAnsweredAt, state } = own
      throw refusalOf('duplicate_settlement', {
        ...namesOf(own),
        status: state.status,
        firstAnsweredAt,
      })
    }
    case 'refused': {
      if ('sent' in received && received.sent !== null && received.reason !== 'transfer_failed') {
        const { transactionHash, confirmedAtMilliseconds } = received.sent
        throw refusalOf(received.reason, {
          signature: transactionHash,
          confirmedAt: confirmedAtMilliseconds,
        })
      }
      const message = 'message' in received ? received.message : undefined
      const lacks = 'lacks' in received ? received.lacks : undefined
      throw refusalOf(received.reason, {}, message, lacks)
    }
    default:
      return received satisfies never
  }
}

/** How the reference says that an attempt, and that an authorization, came to nothing. */
const ENDED = {
  evm: {
    reverted: 'invalid_exact_evm_transaction_failed',
    expired: 'invalid_exact_evm_payload_authorization_valid_before',
  },
  permit2: {
    reverted: 'invalid_exact_evm_transaction_failed',
    expired: 'permit2_deadline_expired',
  },
  solana: {
    reverted: 'invalid_exact_svm_transaction_failed',
    expired: 'invalid_exact_svm_transaction_failed',
  },
} as const satisfies Record<Family | 'permit2', Record<string, Reason>>

function namesOf({ paymentId, state }: ClaimedPayment) {
  return { paymentId, signature: state.hash }
}
