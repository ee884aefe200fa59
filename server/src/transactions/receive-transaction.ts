import type { BaseUnits } from '@florin/wire/amount.ts'
import { formatAmount } from '@florin/wire/amount.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Preparation } from '../chains/self-custody.ts'
import { ownersOf } from '../custody/store.ts'
import { findPaidElsewhere } from '../facilitator/paid-elsewhere.ts'
import type { BeginDeps } from '../facilitator/beginning.ts'
import { isSameClaim } from '../facilitator/claim.ts'
import { claimSoftly, isBuildable, standingClaim } from '../facilitator/claim-softly.ts'
import type { SoftlyClaimed, StandingClaim } from '../facilitator/claim-softly.ts'
import { findClaim } from '../facilitator/claim-store.ts'
import type { Intake } from '../facilitator/intake.ts'
import { PROCESSED, refusalOf } from '../facilitator/refusal-of.ts'
import { digestOf } from '../facilitator/terms-digest.ts'
import { hasLapsed } from '../facilitator/yield-claim.ts'
import { claimKeys, findKey } from '../idempotency/store.ts'
import { newId, parseId } from '../kernel/id.ts'
import type { AccountId, PaymentId } from '../kernel/id.ts'
import { networkStanding } from '../sender/follower-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { Build } from './build.ts'
import { findBuild, replaceBuild } from './build-store.ts'
import { selfCustodyOf } from './build-transaction.ts'
import type { BuildDeps, BuildResult } from './build-transaction.ts'
import { factsOf } from './facts-of.ts'
import { giveNonceBack } from './nonce-store.ts'
import { placed } from './placed.ts'
import { stateOf } from './state-of.ts'
import { unfollowed } from './unfollowed.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

export interface ReceiveBuildDeps extends BuildDeps {
  /** What settling here takes: one proof has one claim, whoever is to send the transaction. */
  readonly settling: BeginDeps
  /** Reads what a buyer sent against what its seller says. Throws the refusal of everything that receiving refuses without a node. */
  readonly readOffer: (order: OfferOrder) => Promise<Intake>
}

/** What a seller says that it must be paid, and the proof that it was shown. */
export interface OfferOrder {
  readonly accountId: AccountId
  readonly said: {
    readonly recipient: string
    readonly amount: string
    readonly network: string | undefined
    readonly asset: string | undefined
  }
  readonly proofText: string
  readonly resource: string | undefined
}

export interface ReceiveBuildOrder extends OfferOrder {
  /** Total priority fee in native currency, as it came in; Solana: the buyer has set it already. */
  readonly priorityFeeOf: (intake: Intake) => BaseUnits | undefined
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
}

/** A build, and the network that it is for. */
export type ReceiveBuilt = BuildResult & Pick<Intake, 'chain'>

const OPERATION = endpoints.receiveTransaction.id
const MILLISECONDS = 1_000n
const OVER =
  'The time of this payment is over. Unless your wallet has sent it before, it moved nothing and never will.'

/**
 * Builds the transaction with which the seller's own wallet settles what a buyer sent, after every check of the facilitator's. The proof
 * is claimed with the build, in one transaction: for the account alone until the build expires, afterwards for whoever comes first. What
 * the chain shows of it, whoever sent it, moves the received record. Nothing is signed here.
 */
export async function receiveTransaction(
  deps: ReceiveBuildDeps,
  order: ReceiveBuildOrder,
): Promise<ReceiveBuilt> {
  const { accountId } = order
  const earlier = await earlierBuild(deps, order)
  const intake = await deps.readOffer(order)
  if (earlier !== undefined) return replay(deps, accountId, earlier, intake)
  await refuseClaimed(deps, accountId, intake)
  const { chain, authorization } = intake
  const priorityFee = order.priorityFeeOf(intake)
  const prepared = await selfCustodyOf(chain).prepareSettlement(
    authorization,
    authorization.payTo,
    priorityFee,
  )
  if (!prepared.ok) {
    const { reason, message, lacks } = prepared
    // The seller's wallet may have sent it long ago: then nobody should be asked for a fresh one.
    const refusal =
      lacks === 'time' ? refusalOf(reason, {}, OVER) : refusalOf(reason, {}, message, lacks)
    if (prepared.isUsed !== true) throw refusal
    await refuseUsed(deps, accountId, intake)
    // By a transaction that nobody here can name: whatever else is wrong with the proof, no buyer is asked for another one.
    throw refusal.code === 'DUPLICATE_SETTLEMENT'
      ? refusal
      : refusalOf('duplicate_settlement', {}, PROCESSED)
  }
  const { preparation } = prepared
  refuseShort(intake, preparation)
  const stored = await deps.store.inTransaction('service', async (tx) => {
    const made = await store(tx, deps, order, { intake, preparation })
    deps.killPoint('build.before-commit')
    return made
  })
  deps.killPoint('build.after-commit')
  return typeof stored === 'string' ? replay(deps, accountId, stored, intake) : { ...stored, chain }
}

async function store(
  tx: Tx,
  deps: ReceiveBuildDeps,
  { accountId, once }: ReceiveBuildOrder,
  { intake, preparation }: { intake: Intake; preparation: Preparation },
): Promise<BuildResult | PaymentId> {
  const { chain, authorization } = intake
  const { network, family } = chain.config
  const { payTo, asset, amount, proofKey } = authorization
  const now = deps.clock.nowMilliseconds()
  const standing = await networkStanding(tx, network)
  if (standing !== 'followed') throw unfollowed(standing)
  if ((await ownersOf(tx, family, [payTo])).has(payTo)) {
    const rule =
      'is a wallet of this service, whose key nobody else has: receive the payment instead'
    throw new Refusal('INVALID_PARAMETERS', { details: { walletAddress: rule } })
  }
  const first = preparation.build([])
  const expiresAtMilliseconds = expiryOf(intake, now, first.validSeconds)
  const claimed = await claimSoftly(
    tx,
    { ...deps.settling, clock: deps.clock, random: deps.random },
    { accountId, intake, untilMilliseconds: expiresAtMilliseconds },
  )
  if (claimed.kind !== 'claimed') throw refusalOfClaim(claimed)
  const { paymentId } = claimed
  if (once !== null) {
    const claim = { accountId, operation: OPERATION, ...once, resourceId: paymentId }
    const [known] = await claimKeys(tx, [claim], now)
    if (known?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
    if (known?.kind === 'replay') return idOf(known.resourceId)
  }
  const scope = { accountId, network, sender: payTo }
  // An earlier build of the same payment has none any more: only one of them can take its place.
  if (first.nonce !== null) await giveNonceBack(tx, scope, paymentId)
  const wanted = { paymentId, nowMilliseconds: now, expiresAtMilliseconds }
  const built = await placed(tx, { scope, first, preparation, wanted })
  const build: Build = {
    paymentId,
    accountId,
    network,
    sender: payTo,
    recipient: payTo,
    asset: asset.asset,
    amount,
    commitment: null,
    proofKey,
    tradeId: null,
    nonce: built.nonce,
    lastValidBlockHeight: built.lastValidBlockHeight,
    expiryEnforcedByChain: built.expiryEnforcedByChain,
    transaction: built.transaction,
    facts: factsOf(built),
    createdAtMilliseconds: now,
    expiresAtMilliseconds,
  }
  await replaceBuild(tx, build)
  const state = await stateOf(tx, deps, build)
  return { build, state, replayed: false }
}

/** Never longer than the authorization itself, and never over before it begins: the chain's clock is not this machine's. */
function expiryOf({ authorization }: Intake, now: number, validSeconds: number): number {
  const end = authorization.validBeforeSeconds
  const latest = now + validSeconds * 1000
  if (end === null || end * MILLISECONDS >= BigInt(latest)) return latest
  return Math.max(now + 1_000, Number(end * MILLISECONDS))
}

/** What a claim that is there says before any node is asked. */
async function refuseClaimed(
  { store, settling, clock }: ReceiveBuildDeps,
  accountId: AccountId,
  intake: Intake,
): Promise<void> {
  const { network } = intake.chain.config
  await store.inTransaction('service', async (tx) => {
    const claim = await findClaim(tx, network, intake.authorization.proofKey)
    if (claim === undefined) return
    const standing = await standingClaim(tx, settling, claim, { accountId, intake })
    if (standing !== undefined && !isBuildable(standing)) throw refusalOfStanding(standing)
    if (standing === undefined && !hasLapsed(claim, clock.nowMilliseconds())) {
      throw refusalOf('duplicate_settlement')
    }
  })
}

/** The chain shows it used: the account whose claim it is, or nobody's so far, is told the state of the payment. */
async function refuseUsed(
  { store, settling, random }: ReceiveBuildDeps,
  accountId: AccountId,
  intake: Intake,
): Promise<void> {
  const { network } = intake.chain.config
  const { proofKey } = intake.authorization
  const read = () => store.inTransaction('service', (tx) => findClaim(tx, network, proofKey))
  const known = await read()
  const paymentId = known?.paymentId ?? newId(random, 'pay')
  const digest = digestOf(intake)
  // Other terms under the same nonce are another payment: what pays those pays nothing of this claim.
  if (known === undefined || isSameClaim(known, accountId, digest)) {
    const beginning = { accountId, paymentId, digest, intake, isNew: known === undefined }
    const found = await findPaidElsewhere(settling, beginning)
    // A node that shows by what has not come there yet.
    if (found === 'behind') throw refusalOf('network_unavailable')
  }
  const claim = await read()
  if (claim === undefined) return
  const standing = await store.inTransaction('service', (tx) =>
    standingClaim(tx, settling, claim, { accountId, intake }),
  )
  throw standing === undefined ? refusalOf('duplicate_settlement') : refusalOfStanding(standing)
}

function refusalOfClaim(claimed: Exclude<SoftlyClaimed, { kind: 'claimed' }>): Refusal {
  switch (claimed.kind) {
    case 'standing':
      return refusalOfStanding(claimed.standing)
    case 'taken':
      return refusalOf('duplicate_settlement')
    case 'foreign receiver':
      return refusalOf('receiver_of_another_account')
    default:
      return claimed satisfies never
  }
}

/** The account's own payment, past building: its state is all there is to tell. */
function refusalOfStanding({ paymentId, state, answeredAtMilliseconds }: StandingClaim): Refusal {
  const { status, hash: signature } = state
  if (status === 'expired' || status === 'failed') {
    const reason: Reason = 'invalid_payload'
    const message = 'This payment is over: it moved nothing and never will.'
    return refusalOf(reason, { paymentId, status }, message)
  }
  const answered =
    answeredAtMilliseconds === null ? {} : { firstAnsweredAt: answeredAtMilliseconds }
  const message = 'This payment is settled or being settled: there is nothing to build.'
  return refusalOf('duplicate_settlement', { paymentId, status, signature, ...answered }, message)
}

/** The seller's wallet pays the network, and nothing else. */
function refuseShort({ chain }: Intake, { balances, fee }: Preparation): void {
  const native = chain.config.assets.find((profile) => profile.asset === 'native')
  if (native === undefined || balances.native >= fee.max) return
  const { decimals, symbol } = native
  throw new Refusal('INSUFFICIENT_BALANCE', {
    message: 'The settling wallet cannot cover the fee of the network.',
    details: {
      required: formatAmount(fee.max, decimals),
      available: formatAmount(balances.native, decimals),
      asset: symbol,
    },
  })
}

async function earlierBuild(
  { store }: ReceiveBuildDeps,
  { accountId, once }: ReceiveBuildOrder,
): Promise<PaymentId | undefined> {
  if (once === null) return undefined
  const claim = await findKey(store, { accountId, operation: OPERATION, ...once })
  if (claim?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
  return claim && idOf(claim.resourceId)
}

function idOf(text: string): PaymentId {
  const id = parseId('pay', text)
  if (id === undefined) throw new Error('an idempotency key of a build names no payment')
  return id
}

/** The newest build of the payment: an earlier one may have been replaced under another key. */
async function replay(
  deps: ReceiveBuildDeps,
  accountId: AccountId,
  paymentId: PaymentId,
  { chain }: Intake,
): Promise<ReceiveBuilt> {
  return deps.store.inTransaction(accountId, async (tx) => {
    const build = await findBuild(tx, accountId, paymentId)
    if (build === undefined) throw new Error('a build is gone')
    return { build, state: await stateOf(tx, deps, build), replayed: true, chain }
  })
}
