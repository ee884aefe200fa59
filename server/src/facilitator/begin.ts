import type { NetworkId } from '@florin/wire/network.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { ForeignSettlement, SettlementDraft } from '../chains/exact.ts'
import type { SignedTransaction } from '../chains/chain.ts'
import { receiverAccount } from '../custody/receiver-store.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Clock } from '../kernel/clock.ts'
import type { PaymentId, AccountId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import { followedHeight, holdFollowed, networkStanding } from '../sender/follower-store.ts'
import { advanceLane, freezeLane, lockLane, openCeilings } from '../sender/lane-store.ts'
import { storeTransactions } from '../sender/transaction-store.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { ClaimOrder } from './claim-many.ts'
import type { ClaimQueue, Queued } from './claim-queue.ts'
import { findClaim, insertClaim, lockClaim } from './claim-store.ts'
import type { NewClaim } from './claim-store.ts'
import { takeIdentifier } from './identifier-store.ts'
import type { NamedPayment } from './identifier-store.ts'
import type { Intake } from './intake.ts'
import type { NewReceived, ReceivedRecords } from './records.ts'
import type { SettlerFunds } from './settler-funds.ts'
import type { Settlers } from './settlers.ts'
import { isWorthItsGas, reserveSponsoring } from './sponsoring.ts'

/** What making a claim takes. */
export interface ClaimDeps {
  readonly store: Store
  readonly records: ReceivedRecords
  readonly clock: Clock
  readonly killPoint: (point: KillPoint) => void
  /** The key of a settling wallet, to be erased by whoever asked. */
  signerFor(wallet: Wallet, network: NetworkConfig): Promise<OpenSigner>
}

export interface BeginDeps extends ClaimDeps {
  readonly settlers: Settlers
  readonly funds: SettlerFunds
  readonly claims: Pick<ClaimQueue, 'coming' | 'claim' | 'keepApart'>
}

/** What is settled: a payment that was read, or one that is known from its claim. */
export type Settleable = Pick<Intake, 'chain' | 'exact' | 'authorization' | 'resource'> & {
  readonly payment: Pick<Intake['payment'], 'x402Version'>
}

/** A claim to be made, or made before and to be tried again. */
export interface Beginning {
  readonly accountId: AccountId
  readonly paymentId: PaymentId
  readonly digest: Uint8Array
  readonly intake: Settleable
  readonly isNew: boolean
  /** The name that its payer gave it; it is taken with the claim. */
  readonly named?: NamedPayment | undefined
  /** Its seller wants a transaction of its own; left out, it may share one. */
  readonly isAlone?: boolean
  /** The request that asks for it: an operator finds the transaction by it. */
  readonly requestId?: string
}

/** What became of a beginning; only `signed` has bytes, which are committed. */
export type Begun =
  | { readonly kind: 'signed'; readonly network: NetworkId; readonly signed: SignedTransaction }
  /** Nothing to send from here: somebody else's transaction has paid already, or is to. */
  | { readonly kind: 'found' }
  /** Somebody has the claim, or another call is at it: look again. */
  | { readonly kind: 'taken' }
  /** Its key signs nothing now: stopped, or what is under way may take all that it has. Nothing is stored; another key may do it. */
  | { readonly kind: 'unusable' }
  | {
      readonly kind: 'refused'
      readonly reason: Reason
      readonly message?: string
      /** The chain shows that it was used up, and nobody shows by what. */
      readonly isUsed?: true
    }

const FOREIGN_USE = 'the chain has used more nonces of this wallet than this service has filled'

/**
 * Asks what settling needs, then in one transaction: claim, record, place, signature and bytes; afterwards the bytes are sent. A refusal
 * has stored nothing.
 */
export async function beginSettlement(deps: BeginDeps, beginning: Beginning): Promise<Queued> {
  const { settlers } = deps
  const { chain, authorization } = beginning.intake
  const { config } = chain
  const named = authorization.feePayer ?? authorization.onlySettler ?? null
  const settler = settlers.next(config.family, named, (address) =>
    deps.funds.isLow(config.network, address),
  )
  if (settler === undefined) return { kind: 'refused', reason: 'network_unavailable' }
  const handedIn = deps.claims.coming(chain, settler)
  const begun = await draftAndClaim(deps, beginning, settler, handedIn).finally(handedIn)
  if (begun.kind !== 'unusable') return begun
  // It counts as low now, so each turn has fewer keys.
  if (named === null) return beginSettlement(deps, beginning)
  return { kind: 'refused', reason: 'network_unavailable' }
}

/** The same with one key; `unusable` when it should not be asked now. `handedIn` is called when the claim waits for its turn. */
async function draftAndClaim(
  deps: BeginDeps,
  beginning: Beginning,
  settler: Wallet,
  handedIn: () => void,
): Promise<Queued> {
  const { chain, exact, authorization } = beginning.intake
  const { config } = chain
  const drafted = await exact.draft(authorization, settler.address)
  if (!drafted.ok) {
    // What is looked for now takes thousands of blocks.
    handedIn()
    const foreign = drafted.isUsed === true ? await findForeign(deps, beginning) : undefined
    const recorded = foreign && (await recordForeign(deps, beginning, foreign))
    if (recorded !== undefined) return recorded
    const { reason, message, isUsed } = drafted
    const said = message === undefined ? {} : { message }
    return { kind: 'refused', reason, ...said, ...(isUsed === true ? { isUsed } : {}) }
  }
  const { draft } = drafted
  if (!deps.funds.note(config.network, settler.address, draft)) return { kind: 'unusable' }
  if (!isWorthItsGas(config, authorization, draft.feeExpected)) {
    return { kind: 'refused', reason: 'payment_too_small_for_its_gas' }
  }
  const claimed = deps.claims.claim(chain, settler, { beginning, draft })
  handedIn()
  const begun = await claimed
  if (begun.kind === 'unusable') deps.funds.setAside(config.network, settler.address)
  return begun
}

/** One claim in a transaction of its own. Nothing is sent here. */
export async function claimAlone(
  deps: ClaimDeps,
  settler: Wallet,
  { beginning, draft }: ClaimOrder,
): Promise<Begun> {
  const { store, killPoint } = deps
  const { chain, authorization } = beginning.intake
  const { config } = chain
  const signer = await deps.signerFor(settler, config)
  try {
    const begun = await store.inTransaction('service', async (tx) => {
      if ((await networkStanding(tx, config.network)) !== 'followed') {
        return { kind: 'refused', reason: 'network_unavailable' } as const
      }
      if (!(await hold(tx, deps, beginning))) return { kind: 'taken' } as const
      const refusal = await reserveSponsoring(
        tx,
        config,
        { accountId: beginning.accountId, payer: authorization.payer },
        draft,
        deps.clock.nowMilliseconds(),
      )
      if (refusal !== undefined) throw new ClaimRefused(refusal)
      const signed = await place(tx, deps, beginning, { settler, signer, draft })
      killPoint('claim.before-commit')
      return { kind: 'signed', network: config.network, signed } as const
    })
    if (begun.kind === 'signed') killPoint('claim.after-commit')
    return begun
  } catch (error) {
    if (error instanceof ClaimRefused) return { kind: 'refused', reason: error.reason }
    if (error instanceof LaneShort) return { kind: 'unusable' }
    if (!(error instanceof LaneFrozen)) throw error
    // Everything above was rolled back; what was found out about the key must stay.
    if (error.foundNow) {
      await store.inTransaction('service', (tx) =>
        freezeLane(tx, config.network, settler.address, FOREIGN_USE),
      )
    }
    return { kind: 'unusable' }
  } finally {
    signer.erase()
  }
}

/** Rolls the claim back: not for this account, or not paid for. */
class ClaimRefused extends Error {
  override readonly name = 'ClaimRefused'
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}

/** Rolls the claim back: what is under way may take all that the key has. */
class LaneShort extends Error {
  override readonly name = 'LaneShort'
}

/** Rolls the claim back: a key that somebody else uses signs nothing more. */
class LaneFrozen extends Error {
  override readonly name = 'LaneFrozen'
  readonly foundNow: boolean
  constructor(foundNow: boolean) {
    super('the lane of a settling key is frozen')
    this.foundNow = foundNow
  }
}

/**
 * Makes the claim, takes its name and opens its record, unless that is there already; or locks the claim that is there. False when
 * another call was first.
 */
async function hold(
  tx: Tx,
  deps: ClaimDeps,
  beginning: Beginning,
  hasRecord = false,
): Promise<boolean> {
  const { accountId, paymentId, intake, isNew, named } = beginning
  const { chain, authorization } = intake
  const { network, family } = chain.config
  const now = deps.clock.nowMilliseconds()
  const takeName = async () => {
    if (named === undefined || (await takeIdentifier(tx, deps.records, named, now))) return
    throw new ClaimRefused('payment_identifier_conflict')
  }
  if (!isNew) {
    if (!(await lockClaim(tx, beginning))) return false
    const state = await deps.records.state(tx, accountId, paymentId)
    if (state?.status !== 'pending' || state.underWay) return false
    await takeName()
    return true
  }
  const owner = await receiverAccount(tx, family, authorization.payTo)
  if (owner !== undefined && owner !== accountId) {
    throw new ClaimRefused('receiver_of_another_account')
  }
  const claim = claimFor(beginning, await followedHeight(tx, network))
  if (!(await insertClaim(tx, claim, now))) return false
  await takeName()
  if (!hasRecord) await deps.records.open(tx, recordFor(beginning))
  return true
}

/** The claim of a beginning, on a network that has been read this far. */
export function claimFor(
  { accountId, paymentId, digest, intake }: Beginning,
  followed: bigint | null,
): NewClaim {
  const { chain, authorization, payment } = intake
  return {
    paymentId,
    accountId,
    network: chain.config.network,
    proofKey: authorization.proofKey,
    termsDigest: digest,
    x402Version: payment.x402Version,
    stored: authorization.stored,
    validBeforeSeconds: authorization.validBeforeSeconds,
    sinceHeight: lookedFrom(followed ?? 0n),
  }
}

/** From where a payment that somebody else settled is looked for. */
function lookedFrom(followed: bigint): bigint {
  const back = BigInt(limits.lookBackBlocks)
  return followed > back ? followed - back : 0n
}

/** The record that goes with it. */
export function recordFor({ accountId, paymentId, intake }: Beginning): NewReceived {
  const { chain, authorization, resource } = intake
  const { asset, amount, payer, payTo } = authorization
  return { paymentId, accountId, network: chain.config, asset, amount, payer, payTo, resource }
}

async function place(
  tx: Tx,
  { clock }: ClaimDeps,
  { paymentId, requestId, intake: { chain } }: Beginning,
  { settler, signer, draft }: { settler: Wallet; signer: OpenSigner; draft: SettlementDraft },
): Promise<SignedTransaction> {
  const { network } = chain.config
  const lane = await lockLane(tx, network, settler.address, draft.laneLatest)
  if (lane.frozenReason !== null) throw new LaneFrozen(false)
  if (draft.laneLatest > lane.nextNonce) throw new LaneFrozen(true)
  if ((await openCeilings(tx, lane)) + draft.feeCeiling > draft.settlerBalance) {
    throw new LaneShort('what is under way may take all that the key has')
  }
  const signed = await chain.sign(draft.terms, lane.nextNonce, signer)
  const { terms, feeCeiling } = draft
  const transaction = {
    nonce: lane.nextNonce,
    terms,
    signed,
    feeCeiling,
    paymentIds: [paymentId],
    ...(requestId === undefined ? {} : { requestId }),
  }
  await storeTransactions(tx, lane, [transaction], clock.nowMilliseconds())
  await advanceLane(tx, lane, 1)
  return signed
}

/** An authorization that somebody else has used may still be a payment. Reads thousands of blocks: asked only once it is used. */
async function findForeign(
  { store }: BeginDeps,
  { intake: { chain, exact, authorization } }: Beginning,
): Promise<ForeignSettlement | undefined> {
  const read = await store.inTransaction('service', (tx) =>
    followedHeight(tx, chain.config.network),
  )
  if (read === null) return undefined
  const since = lookedFrom(read)
  const use = await exact.findForeign(authorization, since)
  return use?.kind === 'paid' ? use.settlement : undefined
}

/** Whether somebody else's transaction has paid a claim whose own attempt came to nothing; its record then says so. */
export async function findPaidElsewhere(deps: BeginDeps, beginning: Beginning): Promise<boolean> {
  const foreign = await findForeign(deps, beginning)
  if (foreign === undefined) return false
  const recorded = await recordForeign(deps, beginning, foreign)
  return recorded?.kind === 'found' || recorded?.kind === 'taken'
}

/** Claims a payment that another facilitator is to settle, and opens its record: before that one hears of it. */
export async function beginElsewhere(deps: ClaimDeps, beginning: Beginning): Promise<Begun> {
  const { config } = beginning.intake.chain
  try {
    return await deps.store.inTransaction('service', async (tx) => {
      if ((await networkStanding(tx, config.network)) !== 'followed') {
        return { kind: 'refused', reason: 'network_unavailable' }
      }
      return { kind: (await hold(tx, deps, beginning)) ? 'found' : 'taken' }
    })
  } catch (error) {
    if (error instanceof ClaimRefused) return { kind: 'refused', reason: error.reason }
    throw error
  }
}

/** Rolls the claim back: what was found pays another one. */
class PaysAnother extends Error {
  override readonly name = 'PaysAnother'
}

/** Undefined when the effect that was found pays another claim: then nothing is stored. */
async function recordForeign(
  deps: BeginDeps,
  beginning: Beginning,
  settlement: ForeignSettlement,
): Promise<Begun | undefined> {
  const { accountId, paymentId, isNew } = beginning
  try {
    return await deps.store.inTransaction('service', async (tx) => {
      // Whoever reads the block of this effect now has its transfer recorded before, or sees this record.
      await holdFollowed(tx, beginning.intake.chain.config.network)
      const record = recordFor(beginning)
      const adopted = isNew ? await deps.records.depositOf(tx, record, settlement) : undefined
      if (adopted !== undefined) {
        const isHeld = await hold(tx, deps, { ...beginning, paymentId: adopted }, true)
        if (!isHeld) {
          if (await isUnclaimed(tx, beginning)) throw new PaysAnother()
          return { kind: 'taken' }
        }
        const claimed = { accountId, paymentId: adopted }
        const pays = await deps.records.adopt(tx, claimed, record.resource, settlement)
        if (!pays) throw new PaysAnother()
        return { kind: 'found' }
      }
      if (!(await hold(tx, deps, beginning))) return { kind: 'taken' }
      const claimed = { accountId, paymentId }
      const word = await deps.records.paidElsewhere(tx, claimed, settlement, false)
      if (word === 'pays another') throw new PaysAnother()
      return { kind: 'found' }
    })
  } catch (error) {
    if (error instanceof PaysAnother) return undefined
    if (error instanceof ClaimRefused) return { kind: 'refused', reason: error.reason }
    throw error
  }
}

/** A deposit has one claim: whoever does not get it, and has no other, is not paid by it. */
async function isUnclaimed(
  tx: Tx,
  { intake: { chain, authorization } }: Beginning,
): Promise<boolean> {
  return (await findClaim(tx, chain.config.network, authorization.proofKey)) === undefined
}
