import type { TransferProof } from '@florin/wire/transfer-proof.ts'
import type { X402Version } from '@florin/wire/x402/payment-requirements.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { TransactionHash } from '../chains/chain.ts'
import { ownersOf } from '../custody/store.ts'
import { receiverAccount } from '../custody/receiver-store.ts'
import { isSameClaim, termsDigest } from '../facilitator/claim.ts'
import { findClaim } from '../facilitator/claim-store.ts'
import { claimTransfer, transferKey } from '../facilitator/claim-transfer.ts'
import { joinClaim } from '../facilitator/join.ts'
import type { JoinDeps, Joined, JoinOrder } from '../facilitator/join.ts'
import { newId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import { followedHeight } from '../sender/follower-store.ts'
import { placesOf } from '../sender/payment-place-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Expectation } from './expectation.ts'
import { builtWith } from './built-store.ts'
import { knownPayments, uncommittedPayments } from './find-store.ts'
import type { Payment } from './payment.ts'
import type { Claimed, ProofKeys } from './proof.ts'
import { isReleased } from './released.ts'
import { depositOf, nameResource, sentPlace } from './sent-place-store.ts'
import { findPayment } from './store.ts'
import type { Waits } from './wait.ts'

const HOUR_MILLISECONDS = 3_600_000
const CLAIM_TRIES_MAX = 4

export interface TransferDeps extends JoinDeps {
  readonly proofs: ProofKeys
  readonly waits: Pick<Waits, 'look'>
  readonly random: Random
}

export interface TransferOrder extends JoinOrder {
  readonly proof: TransferProof
  readonly x402Version: X402Version
  readonly expected: Expectation
  readonly resource: string | undefined
}

export type TransferReceived =
  | Joined
  | { readonly kind: 'refused'; readonly reason: Reason; readonly sent: Payment | null }
  /** Not as deep on chain as the network asks for, so not claimed either. */
  | { readonly kind: 'waiting'; readonly hash: TransactionHash | null }

/** A transfer of ours as its proof shows it, and where it stands. */
interface SentTransfer {
  readonly claimed: Claimed
  readonly sent: Payment
}

/**
 * Takes the proof of a transfer that was sent from here: it is claimed once it is deep enough on chain, by what the chain shows of it, once
 * over all accounts and schemes. The receiver's record is the deposit of a custodial recipient, else a new one.
 */
export async function receiveTransfer(
  deps: TransferDeps,
  order: TransferOrder,
): Promise<TransferReceived> {
  const found = await findTransfer(deps, order)
  if (!found.ok) return { kind: 'refused', reason: found.reason, sent: null }
  const { claimed, sent } = found.transfer
  const digest = digestOf(order, claimed)
  const key = transferKey(claimed.commitment)
  for (let tries = 0; tries < CLAIM_TRIES_MAX; tries += 1) {
    const claim = await deps.store.inTransaction('service', (tx) =>
      findClaim(tx, claimed.network, key),
    )
    if (claim !== undefined) {
      return isSameClaim(claim, order.accountId, digest)
        ? joinClaim(deps, order, claim)
        : { kind: 'duplicate', own: null }
    }
    const standing = await waitForTransfer(deps, order, sent)
    if (standing.kind !== 'ready') return standing
    const taken = await take(deps, order, { claimed, sent }, digest)
    if (taken !== undefined) return { kind: 'refused', reason: taken, sent }
  }
  // Its receiver's record has been claimed under another name: then this proof is worth nothing more.
  return { kind: 'duplicate', own: null }
}

/** The transfer that a proof is of, when it is one of ours and what the seller expects. */
export async function findTransfer(
  { store, proofs }: Pick<TransferDeps, 'store' | 'proofs'>,
  { proof, expected }: Pick<TransferOrder, 'proof' | 'expected'>,
): Promise<
  | { readonly ok: true; readonly transfer: SentTransfer }
  | { readonly ok: false; readonly reason: Reason }
> {
  const { chain, asset, payTo, amount } = expected
  const no = (reason: Reason) => ({ ok: false, reason }) as const
  if (proof.network !== chain.config.network) return no('transfer_network_mismatch')
  const claimed = proofs.claimOf(proof)
  if (claimed === undefined) return no('invalid_payload')
  if (claimed.asset !== asset.asset) return no('transfer_asset_mismatch')
  // Money that moves from a wallet to itself pays nobody.
  if (claimed.recipient !== payTo || claimed.sender === payTo) {
    return no('transfer_recipient_mismatch')
  }
  if (claimed.amount !== amount) return no('transfer_amount_mismatch')
  const sent = await store.inTransaction('service', (tx) =>
    findSent(tx, chain.config.family, claimed),
  )
  if (sent === undefined) return no('transfer_unknown')
  return sent.status === 'failed' || sent.status === 'expired'
    ? no('transfer_failed')
    : { ok: true, transfer: { claimed, sent } }
}

/** By what the chain shows; or by the terms, where a recipient's code left no room for that on chain. */
async function findSent(
  tx: Tx,
  family: Expectation['chain']['config']['family'],
  claimed: Claimed,
): Promise<Payment | undefined> {
  const owner = (await ownersOf(tx, family, [claimed.sender])).get(claimed.sender)
  // Where others sign, whoever had it built has the record, and only the chain's own word tells which.
  if (owner === undefined) return builtWith(tx, claimed.network, claimed.commitment)
  const { accountId } = owner
  const candidates = await uncommittedPayments(tx, accountId, claimed, limits.proofCandidatesMax)
  const ids = candidates.filter((paymentId) => claimed.isOf(paymentId))
  const known = { ids, commitment: claimed.commitment }
  const [sent] = await knownPayments(tx, accountId, known, 1)
  return sent?.type === 'sent' ? sent : undefined
}

/** What is claimed, so that another purchase cannot have it. */
export function digestOf(
  { resource }: Pick<TransferOrder, 'resource'>,
  { network, asset, recipient, amount, resource: named }: Claimed,
): Uint8Array {
  return termsDigest({ network, asset, payTo: recipient, amount, resource: resource ?? named })
}

type Standing =
  { readonly kind: 'ready' } | Extract<TransferReceived, { kind: 'refused' | 'waiting' }>

/** Where a transfer stands now. */
export async function standingOf(
  tx: Tx,
  { chain }: Expectation,
  { id, accountId }: Pick<Payment, 'id' | 'accountId'>,
  nowMilliseconds: number,
): Promise<Standing> {
  const sent = await findPayment(tx, accountId, id)
  if (sent === undefined) throw new Error('a payment is gone')
  const isOver = sent.status === 'failed' || sent.status === 'expired'
  if (isOver) return { kind: 'refused', reason: 'transfer_failed', sent }
  const { config } = chain
  const isDeep = isReleased(sent, config, await followedHeight(tx, config.network))
  const confirmedAt = sent.confirmedAtMilliseconds
  if (!isDeep || confirmedAt === null) return waiting(tx, sent)
  if (nowMilliseconds - confirmedAt > limits.transferProofHours * HOUR_MILLISECONDS) {
    return { kind: 'refused', reason: 'transfer_past_its_life', sent }
  }
  // All of it was sent, and its receiver has less than the price.
  if (sent.remark?.reason === 'recipient_got_less') {
    return { kind: 'refused', reason: 'transfer_amount_mismatch', sent }
  }
  const owners = await ownersOf(tx, config.family, [sent.recipient])
  if (!owners.has(sent.recipient)) return { kind: 'ready' }
  const place = await sentPlace(tx, id)
  const deposit = place?.settlement && (await depositOf(tx, sent, place.settlement))
  return deposit?.isSeen === true ? { kind: 'ready' } : waiting(tx, sent)
}

async function waiting(tx: Tx, { id, transactionHash }: Payment): Promise<Standing> {
  return { kind: 'waiting', hash: transactionHash ?? (await placesOf(tx, id)).newestHash }
}

async function waitForTransfer(
  { store, waits, clock }: TransferDeps,
  { expected, waitUntilMilliseconds, over }: TransferOrder,
  sent: Payment,
): Promise<Standing> {
  const standing = await waits.look(
    sent.id,
    () =>
      store.inTransaction('service', (tx) =>
        standingOf(tx, expected, sent, clock.nowMilliseconds()),
      ),
    ({ kind }) => kind !== 'waiting',
    { atMilliseconds: waitUntilMilliseconds, over },
  )
  if (standing === undefined) throw new Error('a payment is gone')
  return standing
}

/** Claims it for the caller, with the record that says so; undefined when somebody was first or it must be looked at again. */
async function take(
  deps: TransferDeps,
  { accountId, x402Version, expected, resource }: TransferOrder,
  { claimed, sent }: SentTransfer,
  digest: Uint8Array,
): Promise<Reason | undefined> {
  const { store, records, clock, random } = deps
  const { chain, asset, payTo, amount } = expected
  const { network, family } = chain.config
  const purpose = claimed.resource ?? resource ?? null
  const now = clock.nowMilliseconds()
  return store.inTransaction('service', async (tx) => {
    const owner = await receiverAccount(tx, family, payTo)
    if (owner !== undefined && owner !== accountId) return 'receiver_of_another_account'
    if ((await standingOf(tx, expected, sent, now)).kind !== 'ready') return undefined
    const place = await sentPlace(tx, sent.id)
    const deposit = place?.settlement ? await depositOf(tx, sent, place.settlement) : undefined
    const paymentId: PaymentId = deposit?.id ?? newId(random, 'pay')
    const claim = {
      paymentId,
      accountId,
      network,
      commitment: claimed.commitment,
      termsDigest: digest,
      x402Version,
      sentId: sent.id,
      isFollowed: deposit !== undefined,
    }
    if (!(await claimTransfer(tx, claim, now))) return undefined
    if (deposit === undefined) {
      const record = { paymentId, accountId, network: chain.config, asset, amount, payTo }
      await records.open(tx, { ...record, payer: claimed.sender, resource: purpose })
      await records.mirror(tx, { accountId, paymentId }, sent.id)
    } else if (purpose !== null) {
      await nameResource(tx, paymentId, purpose)
    }
    return undefined
  })
}
