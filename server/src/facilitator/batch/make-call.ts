import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { SettlementDraft } from '../../chains/exact.ts'
import type { SignedTransaction } from '../../chains/chain.ts'
import type { Wallet } from '../../custody/wallet.ts'
import { addToOutbox } from '../../events/store.ts'
import { newId } from '../../kernel/id.ts'
import type { Random } from '../../kernel/random.ts'
import type { Broadcaster } from '../../sender/broadcast.ts'
import { networkStanding } from '../../sender/follower-store.ts'
import type { BeginDeps } from '../beginning.ts'
import { LaneFrozen, LaneShort, placeInLane, stopForeign } from '../settler-lane.ts'
import { isWorthItsGas, reserveSponsoring } from '../sponsoring.ts'
import { holdCall, noteCallTransaction } from '../escrow-call-store.ts'
import type { NewCall } from '../escrow-call-store.ts'
import { escrowCallEvent } from './call-view.ts'
import { takeIdentifier } from '../identifier-store.ts'
import type { BatchIntake } from './intake.ts'
import { namedDeposit } from './named-deposit.ts'
import { isOfAnother } from './receivers.ts'

export type CallDeps = Pick<
  BeginDeps,
  'store' | 'records' | 'clock' | 'killPoint' | 'signerFor' | 'settlers' | 'funds'
> & { readonly broadcaster: Broadcaster; readonly random: Random }

/** What became of making a call. */
export type Made =
  /** Its bytes are stored, and nodes have heard of them. */
  | { readonly kind: 'sent' }
  /** Somebody else has stored it meanwhile: look again. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'refused'; readonly reason: Reason; readonly message?: string }

/** How many settling keys one call may try: one that is low or stopped signs nothing. */
const KEYS_MAX = 4

/** Asks what a call takes, stores it with its bytes in one transaction, and sends it. Nothing is stored by a refusal. Throws NodeFailure. */
export async function makeCall(
  deps: CallDeps,
  intake: BatchIntake,
  call: NewCall,
  requestId: string | undefined,
): Promise<Made> {
  const { chain, order } = intake
  const { network, family } = chain.config
  for (let tries = 0; tries < KEYS_MAX; tries += 1) {
    const settler = deps.settlers.next(family, null, (address) =>
      deps.funds.isLow(network, address),
    )
    if (settler === undefined) return { kind: 'refused', reason: 'network_unavailable' }
    const prepared = await order.prepare(settler.address)
    if (!prepared.ok) {
      const { ok: _, ...refusal } = prepared
      return { kind: 'refused', ...refusal }
    }
    const { draft } = prepared
    if (!deps.funds.note(network, settler.address, draft)) continue
    const { asset, deposited } = order
    const isWorth =
      deposited === null ||
      isWorthItsGas(chain.config, { asset, amount: deposited }, draft.feeExpected)
    if (!isWorth) return { kind: 'refused', reason: 'payment_too_small_for_its_gas' }
    const made = await store(deps, intake, call, { settler, draft }, requestId)
    if (made.kind === 'unusable') {
      deps.funds.setAside(network, settler.address)
      continue
    }
    if (made.kind !== 'signed') return made
    await deps.broadcaster.broadcast(network, [{ ...made.signed, requestId: requestId ?? null }])
    return { kind: 'sent' }
  }
  return { kind: 'refused', reason: 'network_unavailable' }
}

type Stored =
  | { readonly kind: 'signed'; readonly signed: SignedTransaction }
  | { readonly kind: 'unusable' }
  | Exclude<Made, { kind: 'sent' }>

/** In one transaction: the call, what it may cost, its place, its signature and its bytes. */
async function store(
  deps: CallDeps,
  intake: BatchIntake,
  call: NewCall,
  { settler, draft }: { readonly settler: Wallet; readonly draft: SettlementDraft },
  requestId: string | undefined,
): Promise<Stored> {
  const { chain, order } = intake
  const { config } = chain
  const { network } = config
  const named = namedDeposit(call.accountId, intake, call.key)
  const signer = await deps.signerFor(settler, config)
  try {
    const stored = await deps.store.inTransaction('service', async (tx): Promise<Stored> => {
      if ((await networkStanding(tx, network)) !== 'followed') {
        return { kind: 'refused', reason: 'network_unavailable' }
      }
      const now = deps.clock.nowMilliseconds()
      const id = newId(deps.random, 'esc')
      if (!(await holdCall(tx, call, id, now))) return { kind: 'taken' }
      if (await isOfAnother(tx, config.family, order.receivers, call.accountId)) {
        throw new CallRefused('receiver_of_another_account')
      }
      if (named !== undefined && !(await takeIdentifier(tx, deps.records, named, now))) {
        throw new CallRefused('payment_identifier_conflict')
      }
      // Only a deposit was signed by its payer. Whom a claim, a sweep and a refund name may be anybody, whose budget nobody else spends.
      const payer = order.operation === 'deposit' ? order.payer : null
      const subjects = { accountId: call.accountId, payer }
      const refusal = await reserveSponsoring(tx, config, subjects, draft, now)
      if (refusal !== undefined) throw new CallRefused(refusal)
      const placing = { chain, settler, signer, draft }
      const signed = await placeInLane(tx, deps, placing, [], requestId)
      await noteCallTransaction(tx, call, signed.hash)
      const told = { ...call, ...call.record, id, claimed: null, status: 'pending' } as const
      await addToOutbox(tx, [escrowCallEvent(told, signed.hash, config)], now)
      deps.killPoint('claim.before-commit')
      return { kind: 'signed', signed }
    })
    if (stored.kind === 'signed') deps.killPoint('claim.after-commit')
    return stored
  } catch (error) {
    if (error instanceof CallRefused) return { kind: 'refused', reason: error.reason }
    if (error instanceof LaneShort) return { kind: 'unusable' }
    if (!(error instanceof LaneFrozen)) throw error
    // Everything above was rolled back; what was found out about the key must stay.
    if (error.foundNow) await stopForeign(deps.store, network, settler.address, draft.laneLatest)
    return { kind: 'unusable' }
  } finally {
    signer.erase()
  }
}

/** Rolls everything back: not for this account, or not paid for. */
class CallRefused extends Error {
  override readonly name = 'CallRefused'
  readonly reason: Reason
  constructor(reason: Reason) {
    super(reason)
    this.reason = reason
  }
}
