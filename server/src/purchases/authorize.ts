import { Refusal } from '@florin/wire/errors.ts'
import { fieldsOf } from '@florin/wire/x402/fields.ts'
import { EIP2612_GAS_SPONSORING } from '@florin/wire/x402/permit2-payload.ts'
import type { Chain, Draft } from '../chains/chain.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import { AfterCommit } from '../http/after-commit.ts'
import type { Clock } from '../kernel/clock.ts'
import { parseId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import { limits } from '../kernel/limits.ts'
import type { Random } from '../kernel/random.ts'
import { awaitFollowed } from '../payments/await-followed.ts'
import { refusalOf } from '../payments/refusal-of.ts'
import type { TradeBook } from '../sender/trade-book.ts'
import { CommitUnknown } from '../store/postgres.ts'
import type { Store } from '../store/postgres.ts'
import type { Choice } from './choose.ts'
import { commitPurchase } from './commit.ts'
import type { SigningDecision } from './commit.ts'
import type { Demand } from './demand.ts'
import type { FetchOrder } from './fetch.ts'
import { signingSeconds } from './signing-time.ts'
import { ProofTaken } from './store.ts'

export interface AuthorizeDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly killPoint: (point: KillPoint) => void
  readonly signerFor: (wallet: Wallet, chain: Chain) => Promise<OpenSigner>
  readonly trades?: Pick<TradeBook, 'holdUnbooked' | 'unbooked'> | undefined
}

export interface Authorizing {
  readonly order: FetchOrder
  readonly wallet: Wallet
  readonly demand: Demand
  readonly choice: Choice
  readonly paymentId: PaymentId
  readonly requestDigest: Uint8Array
}

const SALT_BYTES = 32

/**
 * Signs what the seller asks for, once: asks the node, then decides and stores in one transaction. Refuses when nothing was stored. The
 * node is asked again when its view of the wallet is of a block that is not, or not yet, in the chain that was followed.
 */
export async function authorize(
  deps: AuthorizeDeps,
  authorizing: Authorizing,
): Promise<
  { readonly kind: 'committed' } | { readonly kind: 'joined'; readonly paymentId: PaymentId }
> {
  const { clock } = deps
  const { order } = authorizing
  const deadline = clock.nowMilliseconds() + limits.fetchSignSeconds * 1000
  const mayGoOn = () => clock.nowMilliseconds() < deadline && !order.clientGone.aborted
  for (let tries = 0; tries <= limits.draftRetriesMax; tries += 1) {
    const draft = await draftOf(authorizing)
    let decision = await sign(deps, authorizing, draft)
    if (decision.kind === 'stale' && (await awaitFollowed(deps, order, draft, deadline))) {
      decision = await sign(deps, authorizing, draft)
    }
    switch (decision.kind) {
      case 'committed':
        return { kind: 'committed' }
      case 'joined':
        return { kind: 'joined', paymentId: decision.paymentId }
      case 'replay':
        return { kind: 'joined', paymentId: idOf(decision.paymentId) }
      case 'crowded':
        throw new Refusal('RATE_LIMIT', {
          retryAfterSeconds: limits.purchaseLookSecondsMax,
          message: `This account has too many purchases open that were not settled: ${limits.purchasesSilentOfSellerMax} of this seller, or ${limits.purchasesSilentMax} in all.`,
        })
      case 'proof_taken':
        // With the next block it is another one.
        await clock.sleep(limits.sameProofAgainMilliseconds, order.clientGone)
        if (mayGoOn() && tries < limits.draftRetriesMax) continue
        throw new Refusal('NETWORK_ERROR', {
          retryAfterSeconds: 1,
          message: 'Another payment of this wallet is the same to the letter until the next block.',
        })
      case 'stale':
        if (mayGoOn()) continue
        break
      default:
        throw refusalOf(decision, order)
    }
    break
  }
  throw new Refusal('NETWORK_ERROR', {
    retryAfterSeconds: 1,
    message: "The node's view of this wallet stays behind what is known to have happened.",
  })
}

async function draftOf({ order, wallet, choice }: Authorizing): Promise<Draft> {
  const outcome = await order.chain.draft({
    sender: wallet.address,
    recipient: choice.payTo,
    asset: order.asset,
    amount: choice.amount,
    commitment: new Uint8Array(32),
  })
  if (outcome.ok) return outcome.draft
  throw declined(outcome.refusal)
}

async function sign(
  deps: AuthorizeDeps,
  { order, wallet, demand, choice, paymentId, requestDigest }: Authorizing,
  draft: Draft,
): Promise<SigningDecision | { readonly kind: 'proof_taken' }> {
  const { store, clock, random, killPoint, signerFor } = deps
  const { chain, asset, ceiling, request, metadataText, once, clientGone } = order
  const { maxTimeoutSeconds, extra } = choice.offer.requirements
  const now = clock.nowMilliseconds()
  const seconds = Math.min(Math.ceil(maxTimeoutSeconds), limits.fetchAuthorizationSecondsMax)
  const prepared = await chain.exact?.authorize?.({
    asset,
    payer: wallet.address,
    payTo: choice.payTo,
    amount: choice.amount,
    scheme: choice.scheme,
    extra,
    validBeforeSeconds: signingSeconds(chain.config, now, draft.chainTimeSeconds) + BigInt(seconds),
    salt: random.bytes(SALT_BYTES),
    takesPermits: fieldsOf(demand.extensions?.[EIP2612_GAS_SPONSORING]) !== undefined,
  })
  if (prepared === undefined) throw declined('network')
  if (!prepared.ok) throw declined(prepared.reason)
  await order.demandAdmitted()
  // What nobody waits for any more is not signed.
  if (clientGone.aborted) throw new Refusal('NETWORK_ERROR', { retryAfterSeconds: 1 })
  const signer = await signerFor(wallet, chain)
  try {
    return await store.inTransaction(order.accountId, (tx) =>
      commitPurchase(tx, {
        ...{ chain, wallet, signer, draft, demand, choice, asset, ceiling, paymentId },
        requestDigest,
        ...{ metadataText, once, killPoint, prepared: prepared.prepared, trades: deps.trades },
        url: request.url,
        nowMilliseconds: now,
      }),
    )
  } catch (error) {
    // Nobody can say whether it was stored: the caller must know the id that it would have.
    if (error instanceof CommitUnknown) throw new AfterCommit(paymentId, error)
    // Everything was rolled back, the key as well.
    if (error instanceof ProofTaken) return { kind: 'proof_taken' }
    throw error
  } finally {
    signer.erase()
  }
}

const WORDS: Readonly<Record<string, string>> = {
  domain: 'The seller names another EIP-712 domain than the token has here.',
  method: 'The seller wants the token moved in a way that is not known here.',
  fee_payer: 'Nobody who could is named to pay the fee.',
  memo: 'The seller wants a memo that cannot be written.',
  receiver: 'The receiver cannot be paid in this token, or not in this way.',
  facilitator: 'Nobody who could is named to take the money.',
  allowance:
    'The seller wants to be paid by Permit2, which this wallet has not approved for as much.',
}

function declined(reason: string): Refusal {
  const message = WORDS[reason] ?? 'The payment that the seller asks for could not be made.'
  return new Refusal('PAYMENT_VERIFICATION_FAILED', { message, details: { reason } })
}

function idOf(text: string): PaymentId {
  const id = parseId('pay', text)
  if (id === undefined) throw new Error('an idempotency key of a purchase names no payment')
  return id
}
