import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Chain } from '../chains/chain.ts'
import type { Preparation } from '../chains/self-custody.ts'
import { claimKeys } from '../idempotency/store.ts'
import type { Clock } from '../kernel/clock.ts'
import { parseId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import { networkStanding } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Build } from './build.ts'
import { insertBuilds } from './build-store.ts'
import type { BuildRequest } from './build-transaction.ts'
import { factsOf } from './facts-of.ts'
import { placedAll } from './placed.ts'
import type { BuiltRecords, BuiltState } from '../sender/built-records.ts'
import { unfollowed } from './unfollowed.ts'

/** A build that only has to be stored: everything that a node says is known. */
export interface BuildOrder {
  readonly request: BuildRequest
  readonly paymentId: PaymentId
  readonly commitment: Uint8Array
  readonly preparation: Preparation
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
    fresh.map(({ request, paymentId, commitment }) => ({
      paymentId,
      accountId: request.accountId,
      network: chain.config,
      asset: request.asset,
      amount: request.amount,
      sender: request.sender,
      recipient: request.recipient,
      resource: request.resource,
      metadataText: request.metadataText,
      priorityFee: request.priorityFee,
      commitment,
    })),
  )
  const placed = await placedAll(
    tx,
    fresh.map(({ request, paymentId, preparation, first, expiresAtMilliseconds }) => ({
      scope: { accountId: request.accountId, network, sender: request.sender },
      ...{ first, preparation },
      wanted: { paymentId, nowMilliseconds: now, expiresAtMilliseconds },
    })),
  )
  const builds = fresh.map(
    ({ request, paymentId, commitment, first, expiresAtMilliseconds }, index): Build => {
      const built = placed[index] ?? first
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
        nonce: built.nonce,
        lastValidBlockHeight: built.lastValidBlockHeight,
        expiryEnforcedByChain: built.expiryEnforcedByChain,
        transaction: built.transaction,
        facts: factsOf(built),
        createdAtMilliseconds: now,
        expiresAtMilliseconds,
      }
    },
  )
  await insertBuilds(tx, builds)
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

/** Those whose key was taken before. */
async function lostKeys(
  tx: Tx,
  orders: readonly BuildOrder[],
  now: number,
): Promise<ReadonlyMap<BuildOrder, BuildDecision>> {
  const keyed = orders.flatMap((order) => {
    const { accountId, once } = order.request
    if (once === null) return []
    const claim = { accountId, operation: OPERATION, ...once, resourceId: order.paymentId }
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
