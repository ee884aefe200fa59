import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Verdict } from '../chains/chain.ts'
import type { AwaitedApproval } from '../chains/exact.ts'
import { receiverAccount } from '../custody/receiver-store.ts'
import type { Clock } from '../kernel/clock.ts'
import type { AccountId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import type { Store, Tx } from '../store/postgres.ts'
import { fundedApproval, mayBeBroadcast, releaseNonce, storeApproval } from './approval-store.ts'
import type { StoredApproval } from './approval-store.ts'
import type { ApprovalSponsor } from './approval-sponsor.ts'
import { reservedGas, reserveGasOfMany } from './gas-store.ts'
import type { Intake } from './intake.ts'
import type { JoinOrder } from './join.ts'
import { accountSubject, isWorthItsGas, payerSubject } from './sponsoring.ts'

export interface ApprovalDeps {
  readonly store: Store
  readonly clock: Clock
  readonly killPoint: (point: KillPoint) => void
  /** Left out: nobody's approval is submitted. */
  readonly approvals?: ApprovalSponsor
}

export interface ApprovalOrder extends Pick<
  JoinOrder,
  'accountId' | 'waitUntilMilliseconds' | 'over'
> {
  readonly requestId?: string
}

/** Why a payment does not settle now. */
interface NotYet {
  readonly reason: Reason
  readonly message?: string
}

/** Under which name what all payers of a network are given on a day is counted. */
const ALL_APPROVALS = 'approvals'
const NOT_OFFERED: NotYet = { reason: 'permit2_allowance_required' }
const PENDING: NotYet = { reason: 'approval_pending' }
const UNDERPRICED: NotYet = { reason: 'erc20_approval_tx_fee_too_low' }
const ANOTHERS: NotYet = { reason: 'receiver_of_another_account' }
const SPENT: NotYet = { reason: 'gas_budget_spent' }
/** Between two looks at the chain; a block's time where that is within these. */
const LOOK_MILLISECONDS_MIN = 250
const LOOK_MILLISECONDS_MAX = 1_000
/** More than any wait has room for, also where the clock is set back meanwhile. */
const LOOKS_MAX = 300

/** Whether settling a payment would submit its payer's approval now; undefined when it would. Stores nothing. Throws NodeFailure. */
export async function whyNotSubmitted(
  { store, approvals }: Pick<ApprovalDeps, 'store' | 'approvals'>,
  accountId: AccountId,
  intake: Intake,
  awaited: AwaitedApproval,
): Promise<Reason | undefined> {
  const { chain } = intake
  if (approvals === undefined) return NOT_OFFERED.reason
  const unfit = whyUnfit(intake, awaited)
  if (unfit !== undefined) return unfit
  if (awaited.isUnderpriced) return UNDERPRICED.reason
  if (awaited.lacks === 0n) return undefined
  const now = approvals.clock.nowMilliseconds()
  const wanted = approvalFor(intake, awaited)
  const found = await store.inTransaction('service', async (tx) => {
    const stored = await fundedApproval(tx, wanted, now)
    return {
      stored,
      hasRoom: stored !== undefined || (await hasRoom(tx, accountId, intake, awaited, now)),
    }
  })
  const { stored = wanted } = found
  if (stored.nonce !== wanted.nonce || !found.hasRoom) return SPENT.reason
  return approvals.refuses(chain, stored, awaited.fundingFee)
}

/**
 * Brings a payer's approval to the chain, one step for each call: stores it, gives the payer what it lacks, submits it, and waits a moment.
 * Undefined when the payment should be looked at again; a reason when it does not settle now. Every step is joined by whoever asks for
 * the same: the bytes are one row, and what a payer is given is one payment of that row. Throws NodeFailure.
 */
export function openApprovalSteps(
  deps: ApprovalDeps,
  order: ApprovalOrder,
  intake: Intake,
): (awaited: AwaitedApproval) => Promise<NotYet | undefined> {
  const { store, clock, approvals, killPoint } = deps
  const { accountId, waitUntilMilliseconds, over, requestId } = order
  const { chain } = intake
  let heard = false
  let looks = 0

  /** Undefined after a moment; a reason when nobody waits any more. */
  async function again(): Promise<NotYet | undefined> {
    const moment = Math.min(
      Math.max(chain.config.blockTimeMilliseconds, LOOK_MILLISECONDS_MIN),
      LOOK_MILLISECONDS_MAX,
    )
    looks += 1
    const isOver = over.aborted || clock.nowMilliseconds() + moment > waitUntilMilliseconds
    if (isOver || looks > LOOKS_MAX) return PENDING
    await clock.sleep(moment, over)
    return undefined
  }

  async function submit({ raw }: Pick<StoredApproval, 'raw'>): Promise<Verdict> {
    const [verdict = { kind: 'unknown', reason: 'no node was asked' } as const] =
      await chain.broadcast([raw])
    killPoint('approval.after-node')
    heard = verdict.kind === 'accepted' || verdict.kind === 'known'
    return verdict
  }

  return async (awaited) => {
    if (approvals === undefined) return NOT_OFFERED
    const unfit = whyUnfit(intake, awaited)
    if (unfit !== undefined) return { reason: unfit }
    if (awaited.isUnderpriced && !(await isOut(store, intake, awaited))) return UNDERPRICED
    const approval = await keep(store, clock, accountId, intake, awaited)
    if ('reason' in approval) return approval
    killPoint('approval.after-store')
    let isFunded = false
    if (awaited.lacks > 0n) {
      const funded = await approvals.fund({
        ...{ chain, approval, waitUntilMilliseconds, over, requestId: requestId ?? '' },
      })
      if (funded.kind === 'refused') {
        // What a stored payment refuses is over: nothing was given for the nonce.
        if (approval.funding !== null) await release(deps, intake, approval)
        return { reason: funded.reason }
      }
      if (funded.kind === 'pending') return PENDING
      if (awaited.height < funded.height) return again()
      if (approval.hash !== awaited.hash && (await release(deps, intake, approval))) return again()
      // What another token's approval was given is there, and a call beside this one has released the nonce: that is looked at anew.
      if (approval.asset !== intake.authorization.asset.asset) return again()
      // The payer still lacks something: another one of its approvals may take less, and a fee may have moved. The nodes say.
      isFunded = true
    }
    if (heard) return again()
    const verdict = await submit(approval)
    if (verdict.kind !== 'rejected') return again()
    if (verdict.reason === 'invalid') return { reason: 'erc20_approval_broadcast_failed' }
    // Else a node that does not have yet what another one shows, or a fee that may fall.
    const isShort = verdict.reason === 'insufficient_funds' && isFunded
    return isShort ? { reason: 'erc20_approval_underfunded' } : again()
  }
}

/** Whether another approval of the nonce may be given something from now on, beside what this one gave. */
function release(
  { store, clock }: Pick<ApprovalDeps, 'store' | 'clock'>,
  { authorization: { asset } }: Intake,
  approval: StoredApproval,
): Promise<boolean> {
  return store.inTransaction('service', (tx) =>
    releaseNonce(tx, approval, asset, clock.nowMilliseconds()),
  )
}

/** Whether a node may have it, which then says nothing final of it. */
function isOut(store: Store, intake: Intake, awaited: AwaitedApproval): Promise<boolean> {
  return store.inTransaction('service', (tx) => mayBeBroadcast(tx, approvalFor(intake, awaited)))
}

/** What stands against an approval whoever asks. */
function whyUnfit({ chain: { config }, authorization }: Intake, awaited: AwaitedApproval) {
  const { approvalSponsoring, sponsoring } = config
  if (approvalSponsoring === undefined || sponsoring === undefined) return NOT_OFFERED.reason
  if (awaited.lacks > approvalSponsoring.amountMax) return 'erc20_approval_tx_fee_too_high'
  if (authorization.payer === approvalSponsoring.wallet) return NOT_OFFERED.reason
  const given = awaited.lacks === 0n ? 0n : awaited.lacks + awaited.fundingFee
  const isWorth = isWorthItsGas(config, authorization, given + awaited.settlementFee)
  return isWorth ? undefined : 'payment_too_small_for_its_gas'
}

function approvalFor({ chain, authorization }: Intake, awaited: AwaitedApproval): StoredApproval {
  const { payer, asset } = authorization
  const { hash, nonce, raw, lacks: amount } = awaited
  const { network } = chain.config
  return { network, hash, payer, asset: asset.asset, nonce, raw, amount, funding: null }
}

/**
 * Stores an approval with the budgets for what its payer lacks, or finds the one that its payer was given something for: for the same nonce also
 * one of another token, whose gift this one may take. A reason where the budgets do not hold it, and where the payer was given something today
 * for an approval that is over; then nothing is stored.
 */
async function keep(
  store: Store,
  clock: Clock,
  accountId: AccountId,
  intake: Intake,
  awaited: AwaitedApproval,
): Promise<StoredApproval | NotYet> {
  const { payTo } = intake.authorization
  const now = clock.nowMilliseconds()
  const wanted = approvalFor(intake, awaited)
  try {
    return await store.inTransaction('service', async (tx) => {
      const owner = await receiverAccount(tx, intake.chain.config.family, payTo)
      if (owner !== undefined && owner !== accountId) return ANOTHERS
      const isNew = await storeApproval(tx, wanted, now)
      if (wanted.amount === 0n) return wanted
      if (!isNew) {
        const stored = await fundedApproval(tx, wanted, now)
        return stored?.nonce === wanted.nonce ? stored : SPENT
      }
      if (!(await reserve(tx, accountId, intake, awaited, now))) throw new BudgetSpent()
      return wanted
    })
  } catch (error) {
    if (error instanceof BudgetSpent) return SPENT
    throw error
  }
}

/** Rolls back what was stored: no budget holds it. */
class BudgetSpent extends Error {
  override readonly name = 'BudgetSpent'
}

/** What may be taken of a budget of a day, native base units. */
interface Part {
  readonly amount: bigint
  readonly limit: bigint
}

/** The budgets that what a payer is given counts in, by their subjects, and with room for its settlement. */
function budgetsFor(
  accountId: AccountId,
  { chain: { config }, authorization: { payer } }: Intake,
  { lacks, fundingFee, settlementFee }: AwaitedApproval,
): ReadonlyMap<string, Part> {
  const { sponsoring, approvalSponsoring } = config
  if (sponsoring === undefined || approvalSponsoring === undefined) return new Map()
  const amount = lacks + fundingFee
  const { gasPerAccountPerDay, gasPerPayerPerDay } = sponsoring
  return new Map([
    // Of its own: payers who keep what they are given cannot spend what the account's other payments settle by.
    [`${ALL_APPROVALS}:${accountSubject(accountId)}`, { amount, limit: gasPerAccountPerDay }],
    [payerSubject(payer), { amount, limit: gasPerPayerPerDay - settlementFee }],
    [ALL_APPROVALS, { amount, limit: approvalSponsoring.amountPerDay }],
  ])
}

async function reserve(
  tx: Tx,
  accountId: AccountId,
  intake: Intake,
  awaited: AwaitedApproval,
  nowMilliseconds: number,
): Promise<boolean> {
  const budgets = budgetsFor(accountId, intake, awaited)
  if (budgets.size === 0) return false
  if (!(await canSettle(tx, accountId, intake, awaited, nowMilliseconds))) return false
  const { network } = intake.chain.config
  return (await reserveGasOfMany(tx, network, budgets, nowMilliseconds)).size === 0
}

/** The same without reserving anything. */
async function hasRoom(
  tx: Tx,
  accountId: AccountId,
  intake: Intake,
  awaited: AwaitedApproval,
  nowMilliseconds: number,
): Promise<boolean> {
  const budgets = budgetsFor(accountId, intake, awaited)
  if (!(await canSettle(tx, accountId, intake, awaited, nowMilliseconds))) return false
  for (const [subject, part] of budgets) {
    if (!(await isFree(tx, intake, subject, part, nowMilliseconds))) return false
  }
  return budgets.size > 0
}

/** Whether the account's own gas budget of today has room for the settlement: else the approval would be of no use. */
function canSettle(
  tx: Tx,
  accountId: AccountId,
  intake: Intake,
  { settlementFee: amount }: AwaitedApproval,
  nowMilliseconds: number,
): Promise<boolean> {
  const limit = intake.chain.config.sponsoring?.gasPerAccountPerDay ?? 0n
  return isFree(tx, intake, accountSubject(accountId), { amount, limit }, nowMilliseconds)
}

async function isFree(
  tx: Tx,
  { chain: { config } }: Intake,
  subject: string,
  { amount, limit }: Part,
  nowMilliseconds: number,
): Promise<boolean> {
  const taken = await reservedGas(tx, subject, nowMilliseconds)
  return (taken.get(config.network) ?? 0n) + amount <= limit
}
