import { formatAmount } from '@florin/wire/amount.ts'
import type { BaseUnits } from '@florin/wire/amount.ts'
import { endpoints } from '@florin/wire/endpoints.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address, Chain } from '../chains/chain.ts'
import type { Preparation, PrepareRefusal, SelfCustody } from '../chains/self-custody.ts'
import { findKey } from '../idempotency/store.ts'
import type { Clock } from '../kernel/clock.ts'
import { inBooks } from '../kernel/currency-tokens.ts'
import { newId, parseId } from '../kernel/id.ts'
import type { AccountId, PaymentId, TradeId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import type { AssetProfile } from '../kernel/network-config.ts'
import type { Random } from '../kernel/random.ts'
import type { Store } from '../store/postgres.ts'
import type { Build } from './build.ts'
import type { BuildQueue } from './build-queue.ts'
import { findBuild } from './build-store.ts'
import { decided } from './commit-builds.ts'
import type { ReceivedRecords } from '../facilitator/records.ts'
import type { BuiltRecords, BuiltState } from '../sender/built-records.ts'
import type { Fingerprint } from '../idempotency/fingerprint.ts'

export interface BuildDeps {
  readonly store: Store
  readonly records: BuiltRecords
  /** The records of payments that a build settles. */
  readonly received: Pick<ReceivedRecords, 'state' | 'paidElsewhere' | 'unseen' | 'expired'>
  readonly clock: Clock
  readonly random: Random
  readonly killPoint: (point: KillPoint) => void
}

/** What a build of a transfer takes. */
export interface TransferDeps extends BuildDeps {
  readonly queue: BuildQueue
}

/** One transfer that somebody wants to sign in a wallet of its own, as the door has parsed it. */
export interface BuildRequest {
  readonly accountId: AccountId
  readonly chain: Chain
  readonly sender: Address
  readonly recipient: Address
  readonly asset: AssetProfile
  readonly amount: BaseUnits
  readonly priorityFee: BaseUnits | null
  readonly resource: string | null
  readonly metadataText: string | null
  readonly once: { readonly key: string; readonly fingerprint: Fingerprint } | null
  /** Under which the idempotency key is kept; left out, that of a transfer. */
  readonly operation?: string
  /** The trade that it carries. */
  readonly tradeId?: TradeId
}

/** Whose earlier build an idempotency key may name. */
export type Repeatable = Pick<BuildRequest, 'accountId' | 'once' | 'operation'>

export interface BuildResult {
  readonly build: Build
  readonly state: BuiltState
  /** The same request came before: this is its build, with what became of it. */
  readonly replayed: boolean
}

const OPERATION = endpoints.buildTransaction.id

/**
 * Builds a transfer for a wallet of somebody else's and remembers it, so that it is recognised on chain. Nothing is signed, nothing is
 * held. A refusal means that nothing was stored.
 */
export async function buildTransaction(
  deps: TransferDeps,
  request: BuildRequest,
): Promise<BuildResult> {
  const earlier = await earlierBuild(deps, request)
  if (earlier !== undefined) return replay(deps, request, earlier)
  const { chain, sender, recipient, asset, amount, priorityFee, resource } = request
  const paymentId = newId(deps.random, 'pay')
  const commitment = deps.records.commitmentOf({
    paymentId,
    network: chain.config.network,
    asset: asset.asset,
    sender,
    recipient,
    amount,
    resource,
  })
  const transfer = { sender, recipient, asset, amount, commitment }
  const prepared = await selfCustodyOf(chain).prepare(
    priorityFee === null ? transfer : { ...transfer, priorityFee },
  )
  if (!prepared.ok) {
    throw new Refusal('INVALID_RECIPIENT', {
      details: { recipientAddress: RECIPIENT_RULES[prepared.refusal] },
    })
  }
  const { preparation } = prepared
  refuseShort(request, preparation)
  const order = { request, paymentId, commitment, preparation }
  const decision = decided(await deps.queue.submit(chain, order))
  return decision.kind === 'stored'
    ? { build: decision.build, state: decision.state, replayed: false }
    : replay(deps, request, decision.paymentId)
}

/** The chain's way of building for others. Refuses UNSUPPORTED_NETWORK where there is none. */
export function selfCustodyOf({ selfCustody }: Chain): SelfCustody {
  if (selfCustody === undefined) {
    throw new Refusal('UNSUPPORTED_NETWORK', {
      details: { network: 'no transactions are built for it' },
    })
  }
  return selfCustody
}

/** The build that an idempotency key has already. Refuses IDEMPOTENCY_MISMATCH. */
export async function earlierBuild(
  { store }: Pick<BuildDeps, 'store'>,
  { accountId, once, operation = OPERATION }: Repeatable,
): Promise<PaymentId | undefined> {
  if (once === null) return undefined
  const claim = await findKey(store, { accountId, operation, ...once })
  if (claim?.kind === 'mismatch') throw new Refusal('IDEMPOTENCY_MISMATCH')
  return claim && replayId(claim.resourceId)
}

/** A build of before, with what became of it. */
export async function replay(
  { store, records }: Pick<BuildDeps, 'store' | 'records'>,
  { accountId }: Repeatable,
  paymentId: PaymentId,
): Promise<BuildResult> {
  return store.inTransaction(accountId, async (tx) => {
    const build = await findBuild(tx, accountId, paymentId)
    const state = await records.state(tx, accountId, paymentId)
    if (build === undefined || state === undefined) throw new Error('a build is gone')
    return { build, state, replayed: true }
  })
}

function replayId(text: string): PaymentId {
  const id = parseId('pay', text)
  if (id === undefined) throw new Error('an idempotency key of a build names no payment')
  return id
}

const RECIPIENT_RULES = {
  recipient_refuses: 'the recipient or the token would refuse this transfer on chain',
  recipient_is_asset: 'must not be a token contract',
  recipient_is_zero: 'must not be the zero address',
  recipient_is_no_wallet: 'must be an account that a key controls, not a program',
  amount_below_rent: 'is a new account, and the amount is below the rent-exempt minimum',
  takes_too_much_gas: 'runs code that takes more gas than a transfer that others sign may offer',
} as const satisfies Record<PrepareRefusal, string>

/** What the sender does not have now, it cannot sign for: nobody fills it up behind its back. */
export function refuseShort(
  { chain, asset, amount }: Pick<BuildRequest, 'chain' | 'asset' | 'amount'>,
  { balances, fee }: Preparation,
  feeBeside = 0n,
): void {
  const native = chain.config.assets.find((profile) => profile.asset === 'native') ?? asset
  const moved = inBooks(asset, amount)
  const isNative = moved.asset === 'native'
  const needs = feeBeside + fee.max + (isNative ? moved.amount : 0n)
  const short = (profile: AssetProfile, required: bigint, available: bigint) =>
    new Refusal('INSUFFICIENT_BALANCE', {
      details: {
        required: formatAmount(required, profile.decimals),
        available: formatAmount(available < 0n ? 0n : available, profile.decimals),
        asset: profile.symbol,
      },
    })
  if (!isNative && balances.asset < amount) throw short(asset, amount, balances.asset)
  if (balances.native < needs) throw short(native, needs, balances.native)
}
