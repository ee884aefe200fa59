import { hash as digestOf } from 'node:crypto'
import { Refusal } from '@florin/wire/errors.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { BatchOperation, BatchOrder, BatchResult } from '../../chains/batch.ts'
import { NodeFailure } from '../../chains/chain.ts'
import type { TransactionHash } from '../../chains/chain.ts'
import { isDeepEnough } from '../../kernel/deep-enough.ts'
import type { AccountId } from '../../kernel/id.ts'
import { cameToNothing } from '../../sender/lone-place-store.ts'
import type { Presented, Refused } from '../intake.ts'
import { refused } from '../intake.ts'
import type { SettleDeps } from '../settling.ts'
import {
  findCall,
  giveBackSuccess,
  isKeyOfAnother,
  takeSuccess,
  untoldSettlement,
} from '../escrow-call-store.ts'
import type { CallName, GivenKey, NewCall, StoredCall } from '../escrow-call-store.ts'
import type { LookedCall } from '../escrow-looks-store.ts'
import { takeIdentifier } from '../identifier-store.ts'
import { FAILED } from './failure.ts'
import { takeInBatch } from './intake.ts'
import type { BatchIntake } from './intake.ts'
import { madeElsewhere } from './made-elsewhere.ts'
import { makeCall } from './make-call.ts'
import type { CallDeps } from './make-call.ts'
import { namedDeposit } from './named-deposit.ts'

export type SettleBatchDeps = CallDeps &
  Pick<SettleDeps, 'chains' | 'settlersOf'> & {
    /** What became of a call by now; asked together with others. */
    readonly lookAtCall: (name: CallName) => Promise<LookedCall | undefined>
  }

export interface BatchSettleOrder {
  readonly accountId: AccountId
  readonly presented: Presented
  readonly requestId: string
  /** Under which a deposit's success is to be had again; null where it is not. */
  readonly once: GivenKey | null
  readonly waitUntilMilliseconds: number
  readonly over: AbortSignal
}

/** What became of a call to the escrow, as far as the wait reached. */
export type BatchSettled =
  | {
      readonly kind: 'settled'
      readonly intake: BatchIntake
      readonly hash: TransactionHash
      readonly result: BatchResult
      /** It was made for an earlier request. */
      readonly replayed: boolean
      /** What a deposit is called, by which it counts once. */
      readonly deposit?: CallName
      /** Nobody heard of it: the next one may. */
      readonly giveBack?: () => Promise<void>
    }
  /** A deposit whose success somebody has. */
  | { readonly kind: 'duplicate'; readonly intake: BatchIntake; readonly hash: TransactionHash }
  | {
      readonly kind: 'pending'
      readonly intake: BatchIntake
      readonly hash: TransactionHash | null
    }
  | {
      readonly kind: 'failed'
      readonly intake: BatchIntake
      readonly reason: Reason
      readonly hash: TransactionHash | null
    }
  | (Refused & { readonly kind: 'refused' })

/** Among them sweeps that moved nothing, one after the other. */
const TRIES_MAX = 6
/** Between looks at what became of a call: a quarter of a block. */
const LOOK_MILLISECONDS = { min: 25, max: 500 } as const

/**
 * Makes a call to the escrow that a seller's server asks for: stores it, sends it, and waits for what comes of it. The same call again joins the wait; nothing is ever sent twice while the
 * first may still have an effect.
 */
export async function settleBatch(
  deps: SettleBatchDeps,
  order: BatchSettleOrder,
): Promise<BatchSettled> {
  const taken = takeInBatch(order.presented, deps.chains, deps.settlersOf)
  if (!taken.ok) return { ...taken, kind: 'refused' }
  const { intake } = taken
  const { operation } = intake.order
  if (!isSent(operation)) return no(intake, 'invalid_batch_settlement_evm_payload_type')
  const { accountId, once } = order
  if (once !== null) {
    const isOther = await deps.store.inTransaction('service', (tx) =>
      isKeyOfAnother(tx, accountId, once),
    )
    if (isOther) throw new Refusal('IDEMPOTENCY_MISMATCH')
  }
  const named = await intake.order.key()
  if (!named.ok) {
    return (await joinUntold(deps, order, intake)) ?? no(intake, named.reason, named.message)
  }
  const { network } = intake.chain.config
  const contentDigest = digestFor(intake)
  const { subject = null } = intake.order
  const record = recordFor(intake)
  let { key } = named
  let isOwn = false
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const call: NewCall = { network, key, accountId, operation, contentDigest, subject, record }
    const seen = await deps.lookAtCall(call)
    if (seen !== undefined && (isOwn || !(await isOver(intake, seen)))) {
      const { stored } = seen
      const joined = await joinCall(deps, order, intake, call, { stored, isOwn })
      const anew = isOwn ? undefined : await sweepAnew(intake, named.key, joined)
      if (anew === undefined) return joined
      key = anew
      continue
    }
    const made = await makeCall(deps, intake, call, order.requestId)
    if (made.kind === 'refused') {
      // Another call may have been faster: then the chain refuses what has happened.
      const other = await deps.store.inTransaction('service', (tx) => findCall(tx, call))
      if (other !== undefined && !cameToNothing(other)) continue
      return no(intake, made.reason, made.message)
    }
    isOwn = made.kind === 'sent'
  }
  return { kind: 'pending', intake, hash: null }
}

/**
 * Joins a settlement whose answer was lost, or that was not deep enough to be told of: the chain shows by now that there is nothing to settle. Undefined where there is none, or it came to
 * nothing.
 */
async function joinUntold(
  deps: SettleBatchDeps,
  order: BatchSettleOrder,
  intake: BatchIntake,
): Promise<BatchSettled | undefined> {
  const { accountId } = order
  const { subject } = intake.order
  if (subject === undefined) return undefined
  const { network } = intake.chain.config
  const found = await deps.store.inTransaction('service', async (tx) => {
    const key = await untoldSettlement(tx, { network, subject, accountId })
    const stored = key === undefined ? undefined : await findCall(tx, { network, key })
    return key === undefined || stored === undefined ? undefined : { key, stored }
  })
  if (found === undefined || cameToNothing(found.stored)) return undefined
  const contentDigest = digestFor(intake)
  const { key, stored } = found
  const call = { network, key, accountId, operation: 'settle', contentDigest } as const
  return joinCall(deps, order, intake, call, { stored, isOwn: false })
}

/** Vouchers and wishes for a refund are answered by the seller's server. Source: @x402/evm 2.27. */
function isSent(operation: BatchOrder['operation']): operation is BatchOperation {
  return operation !== 'voucher' && operation !== 'refund request'
}

function recordFor({ order }: BatchIntake): NewCall['record'] {
  const { payer, receivers, channelIds, deposited } = order
  const { asset } = order.asset
  return { asset, payer, receivers, channelIds, amount: deposited }
}

function digestFor({ order }: BatchIntake): Uint8Array {
  return new Uint8Array(digestOf('sha256', order.content, 'buffer'))
}

/**
 * The key of a sweep that is to be made once more: an earlier one moved nothing, and the chain shows still, or again, what it was for. Blocks were put in another order, and the claim
 * came behind it. Undefined of everything else. Throws NodeFailure.
 */
async function sweepAnew(
  { order }: BatchIntake,
  key: string,
  joined: BatchSettled,
): Promise<string | undefined> {
  if (order.operation !== 'settle' || joined.kind !== 'settled') return undefined
  if (joined.result.amount !== 0n) return undefined
  const named = await order.key()
  return named.ok && named.key === key ? `${key}:${joined.hash}` : undefined
}

type JoinedCall = Omit<NewCall, 'subject' | 'record'>

/** Waits for what becomes of a call that was stored. */
async function joinCall(
  deps: SettleBatchDeps,
  order: BatchSettleOrder,
  intake: BatchIntake,
  call: JoinedCall,
  { stored, isOwn }: { readonly stored: StoredCall; readonly isOwn: boolean },
): Promise<BatchSettled> {
  const { accountId, waitUntilMilliseconds, over } = order
  const isSame = Buffer.from(stored.contentDigest).equals(call.contentDigest)
  if (stored.accountId !== accountId || !isSame) return no(intake, 'duplicate_settlement')
  const { min, max } = LOOK_MILLISECONDS
  const pause = Math.min(max, Math.max(min, intake.chain.config.blockTimeMilliseconds / 4))
  for (;;) {
    const seen = await deps.lookAtCall(call)
    const hash = seen?.stored.hash ?? null
    if (seen !== undefined && hash !== null && mayBeTold(intake, seen)) {
      const { operation } = call
      const other = seen.stored.succeeded ? hash : await madeElsewhere(intake, seen)
      if (other === undefined) return { kind: 'failed', intake, reason: FAILED[operation], hash }
      if (other === 'unknown') return { kind: 'pending', intake, hash }
      const settled = await told(intake, other, !isOwn)
      if (settled.kind !== 'settled') return settled
      return await given(deps, order, call, { settled, isElsewhere: other !== hash })
    }
    const isLate = deps.clock.nowMilliseconds() + pause > waitUntilMilliseconds
    if (isLate || over.aborted) return { kind: 'pending', intake, hash }
    // Whoever waits looks at the same moments, so that a look is one for all.
    await deps.clock.sleep(pause - (deps.clock.nowMilliseconds() % pause), over)
  }
}

/** Whether it came to nothing, and nobody else has done it: then it may be made once more. */
async function isOver(intake: BatchIntake, seen: LookedCall): Promise<boolean> {
  return cameToNothing(seen.stored) && (await madeElsewhere(intake, seen)) === undefined
}

/** Whether it is as deep in the chain as it has to be for a seller to hear of it, or can take no effect any more. */
function mayBeTold({ chain }: BatchIntake, { stored, followed }: LookedCall): boolean {
  if (stored.state === 'final' || stored.state === 'dead') return true
  return stored.state === 'mined' && isDeepEnough(stored.minedHeight, chain.config, followed)
}

/** What it did, by what the chain shows of it. Where no node tells that now, whoever asks again hears. */
async function told(
  intake: BatchIntake,
  hash: TransactionHash,
  replayed: boolean,
): Promise<BatchSettled> {
  try {
    return { kind: 'settled', intake, hash, result: await intake.order.result(hash), replayed }
  } catch (error) {
    if (!(error instanceof NodeFailure)) throw error
    return { kind: 'pending', intake, hash }
  }
}

type Settled = Extract<BatchSettled, { kind: 'settled' }>

/**
 * Notes that a success is told. Whoever hears of a deposit serves the request that came with it, so that is told once. Everything else is told as often as it is asked for; whether anybody
 * heard of a settlement decides whether it is told once there is nothing more to settle.
 */
async function given(
  { store, clock, records }: Pick<SettleBatchDeps, 'store' | 'clock' | 'records'>,
  { accountId, once }: BatchSettleOrder,
  call: JoinedCall,
  { settled, isElsewhere }: { readonly settled: Settled; readonly isElsewhere: boolean },
): Promise<BatchSettled> {
  const now = clock.nowMilliseconds()
  // Ours came to nothing, so that its name was free for another deposit meanwhile.
  const named = isElsewhere ? namedDeposit(accountId, settled.intake, call.key) : undefined
  const taken = await store.inTransaction('service', async (tx) => {
    // The call before its name, as where both are stored.
    const took = await takeSuccess(tx, call, once, now)
    if (named === undefined || took !== 'first') return took
    if (await takeIdentifier(tx, records, named, now)) return took
    await giveBackSuccess(tx, call, now)
    return 'name of another'
  })
  if (taken === 'name of another') return no(settled.intake, 'payment_identifier_conflict')
  const isDeposit = call.operation === 'deposit'
  const success = isDeposit ? { ...settled, deposit: call } : settled
  if (taken === 'first') {
    const giveBack = () => store.inTransaction('service', (tx) => giveBackSuccess(tx, call, now))
    return { ...success, giveBack }
  }
  const { intake, hash } = settled
  return taken === undefined && isDeposit ? { kind: 'duplicate', intake, hash } : success
}

function no({ order, networkName }: BatchIntake, reason: Reason, message?: string): BatchSettled {
  return { ...refused(reason, networkName, order.payer, message), kind: 'refused' }
}
