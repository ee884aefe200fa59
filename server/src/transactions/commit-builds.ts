import { baseUnits } from '@florin/wire/amount.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Chain } from '../chains/chain.ts'
import type { Built, Preparation } from '../chains/self-custody.ts'
import { claimKeys } from '../idempotency/store.ts'
import type { Clock } from '../kernel/clock.ts'
import { parseId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { networkStanding } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { ApprovalFacts, Build } from './build.ts'
import { insertBuilds } from './build-store.ts'
import type { BuildRequest } from './build-transaction.ts'
import { factsOf } from './facts-of.ts'
import { lockNonces } from './nonce-store.ts'
import { placed, placedAll } from './placed.ts'
import type { Unplaced } from './placed.ts'
import type { BuiltRecords, BuiltState } from '../sender/built-records.ts'
import { unfollowed } from './unfollowed.ts'

/** A build that only has to be stored: everything that a node says is known. */
export interface BuildOrder {
  readonly request: BuildRequest
  readonly paymentId: PaymentId
  readonly commitment: Uint8Array
  readonly preparation: Preparation
  /** What has to be signed and sent right before it. */
  readonly allowance?: Preparation | null
  /** Stores what belongs to it, in the same transaction. */
  readonly beside?: (tx: Tx, nowMilliseconds: number) => Promise<void>
}

/** What became of an order. */
export type BuildDecision =
  | { readonly kind: 'stored'; readonly build: Build; readonly state: BuiltState }
  /** Its key has another build. */
  | { readonly kind: 'replay'; readonly paymentId: PaymentId }
  | { readonly kind: 'mismatch' }

const OPERATION = endpoints.buildTransaction.id

/**
 * Stores builds of one account and chain in one transaction: keys, records with their events, nonces, bytes. In the order of the orders.
 * Refuses NETWORK_ERROR where nobody follows the network: only that shows what became of a build.
 */
export async function commitBuilds(
  tx: Tx,
  { records, clock }: { readonly records: BuiltRecords; readonly clock: Clock },
  chain: Chain,
  orders: readonly BuildOrder[],
): Promise<readonly BuildDecision[]> {
  const { network } = chain.config
  const now = clock.nowMilliseconds()
  const lost = await lostKeys(tx, orders, now)
  const standing = await networkStanding(tx, network)
  if (standing !== 'followed') throw unfollowed(standing)
  const fresh = orders
    .filter((order) => !lost.has(order))
    .map((order) => {
      const first = order.preparation.build([])
      const commitment = first.carriesCommitment ? order.commitment : null
      const expiresAtMilliseconds = now + first.validSeconds * 1000
      return { ...order, order, first, commitment, expiresAtMilliseconds }
    })
  const states = await records.open(
    tx,
    fresh.map(({ request, paymentId, commitment, preparation }) => ({
      paymentId,
      accountId: request.accountId,
      network: chain.config,
      asset: request.asset,
      amount: request.amount,
      sender: request.sender,
      recipient: request.recipient,
      resource: request.resource,
      metadataText: request.metadataText,
      priorityFee: request.priorityFee ?? baseUnits(preparation.fee.priority),
      commitment,
      tradeId: request.tradeId,
    })),
  )
  const unplaced = fresh.map(({ request, paymentId, expiresAtMilliseconds }) => ({
    scope: { accountId: request.accountId, network, sender: request.sender },
    wanted: { paymentId, nowMilliseconds: now, expiresAtMilliseconds },
  }))
  // Allowances take their places one after the other: no wallet of the batch is waited for with another one in hand.
  if (fresh.some(({ allowance = null }) => allowance !== null)) {
    await lockNonces(
      tx,
      unplaced.map(({ scope }) => scope),
    )
  }
  const allowances = new Map<BuildOrder, Built>()
  const whole: Unplaced[] = []
  for (const [index, { order, first, preparation, allowance = null }] of fresh.entries()) {
    const where = unplaced[index]
    if (where === undefined) throw new Error('a build was left out')
    if (allowance === null) {
      whole.push({ ...where, first, preparation })
      continue
    }
    // The allowance takes its place first, and what needs it one behind.
    const before = await placed(tx, {
      ...where,
      first: allowance.build([]),
      preparation: allowance,
    })
    allowances.set(order, before)
    whole.push({ ...where, ...behind(preparation, before) })
  }
  const built = await placedAll(tx, whole)
  const builds = fresh.map(
    ({ order, request, paymentId, commitment, first, expiresAtMilliseconds }, index): Build => {
      const own = built[index] ?? first
      const before = allowances.get(order)
      return {
        paymentId,
        accountId: request.accountId,
        network,
        sender: request.sender,
        recipient: request.recipient,
        asset: request.asset.asset,
        amount: request.amount,
        commitment: commitment === null ? null : Buffer.from(commitment).toString('hex'),
        proofKey: null,
        tradeId: request.tradeId ?? null,
        nonce: own.nonce,
        lastValidBlockHeight: own.lastValidBlockHeight,
        expiryEnforcedByChain: own.expiryEnforcedByChain,
        transaction: own.transaction,
        facts: {
          ...factsOf(own),
          ...(before === undefined ? {} : { approval: approvalOf(before) }),
        },
        createdAtMilliseconds: now,
        expiresAtMilliseconds,
      }
    },
  )
  await insertBuilds(tx, builds)
  for (const { beside } of fresh) await beside?.(tx, now)
  const stored = new Map(
    fresh.map(({ order }, index) => {
      const [build, state] = [builds[index], states[index]]
      if (build === undefined || state === undefined) throw new Error('a build was left out')
      return [order, { kind: 'stored', build, state } as const]
    }),
  )
  return orders.map((order) => {
    const decision = lost.get(order) ?? stored.get(order)
    if (decision === undefined) throw new Error('a build was left undecided')
    return decision
  })
}

/** The same preparation for the places behind another transaction's. */
function behind(
  preparation: Preparation,
  { nonce }: Built,
): Pick<Unplaced, 'first' | 'preparation'> {
  const own = preparation.build([]).nonce
  if (own === null || nonce === null || nonce < own) {
    return { first: preparation.build([]), preparation }
  }
  const below = Array.from({ length: Number(nonce - own) + 1 }, (_, step) => own + BigInt(step))
  const later: Preparation = {
    ...preparation,
    build: (taken) => preparation.build([...below, ...taken]),
  }
  return { first: later.build([]), preparation: later }
}

function approvalOf(built: Built): ApprovalFacts {
  return { ...factsOf(built), transaction: Buffer.from(built.transaction).toString('base64') }
}

/** Those whose key was taken before. */
async function lostKeys(
  tx: Tx,
  orders: readonly BuildOrder[],
  now: number,
): Promise<ReadonlyMap<BuildOrder, BuildDecision>> {
  const keyed = orders.flatMap((order) => {
    const { accountId, once, operation = OPERATION } = order.request
    if (once === null) return []
    const claim = { accountId, operation, ...once, resourceId: order.paymentId }
    return [{ order, claim }]
  })
  const claimed = await claimKeys(
    tx,
    keyed.map(({ claim }) => claim),
    now,
  )
  const lost = new Map<BuildOrder, BuildDecision>()
  for (const [index, { order }] of keyed.entries()) {
    const result = claimed[index]
    if (result?.kind === 'mismatch') lost.set(order, result)
    if (result?.kind === 'replay') {
      const paymentId = parseId('pay', result.resourceId)
      if (paymentId === undefined) throw new Error('an idempotency key of a build names no payment')
      lost.set(order, { kind: 'replay', paymentId })
    }
  }
  return lost
}

/** What a decision means for whoever waits for it. Refuses IDEMPOTENCY_MISMATCH. */
export function decided(decision: BuildDecision): Exclude<BuildDecision, { kind: 'mismatch' }> {
  if (decision.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
  return decision
}
