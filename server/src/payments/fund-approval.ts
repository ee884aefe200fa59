import { hash as digestOf } from 'node:crypto'
import { baseUnits } from '@florin/wire/amount.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Reason } from '@florin/wire/x402/reasons.ts'
import type { Chain } from '../chains/chain.ts'
import { FundedBefore, noteFunding } from '../facilitator/approval-store.ts'
import type { StoredApproval } from '../facilitator/approval-store.ts'
import type { ApprovalSponsor, Funded, FundingOrder } from '../facilitator/approval-sponsor.ts'
import type { Wallet } from '../custody/wallet.ts'
import { AfterCommit } from '../http/after-commit.ts'
import { newId } from '../kernel/id.ts'
import type { Log } from '../kernel/log.ts'
import { nativeOf } from '../kernel/network-config.ts'
import { openBudget } from '../policies/budget.ts'
import { carry, hasReached } from './carry.ts'
import type { Payment } from './payment.ts'
import { draftOf } from './send.ts'
import type { SendDeps } from './send.ts'
import { findSponsor, openSponsorStanding } from './sponsor-standing.ts'

export interface FundDeps extends SendDeps {
  readonly log: Log
}

/** Under which operation the keys of these payments are kept: no request of a caller has it. */
const OPERATION = 'fundApproval'
const WALLET_FIELD = 'approvalSponsoring.wallet'

type Wait = Pick<FundingOrder, 'waitUntilMilliseconds' | 'over'>
const NOBODY_WAITS: Wait = { waitUntilMilliseconds: 0, over: AbortSignal.abort() }

/**
 * The operator's wallet as a sponsor of approvals. What it gives is a payment of that wallet's account: its policy, its books and its place in the
 * lane are those of every send, and the payment is of the approval's row, in the transaction that stores both.
 */
export function openApprovalSponsor(deps: FundDeps): ApprovalSponsor {
  const { store, waits, log, clock, random } = deps

  /** Undefined where it gives nothing until somebody has looked at it, which the log says. */
  async function sponsorOf(chain: Chain): Promise<Wallet | undefined> {
    const sponsor = await findSponsor(store, chain)
    if (sponsor === undefined || 'wallet' in sponsor) return sponsor?.wallet
    const { network, approvalSponsoring } = chain.config
    const address = approvalSponsoring?.wallet
    log.warn(
      { network, address, reason: sponsor.why },
      'the wallet that sponsors approvals gives nothing',
    )
    return undefined
  }

  /** The payment that gave an approval its money, once it is in a block or the wait is over. */
  async function givenBy(
    { paymentId: id, accountId }: NonNullable<StoredApproval['funding']>,
    { waitUntilMilliseconds: atMilliseconds, over }: Wait,
  ): Promise<Funded> {
    const isThere = (status: Payment['status']) => hasReached(status, 'confirmed')
    const payment = await waits.until({ accountId, id }, isThere, { atMilliseconds, over })
    if (payment === undefined) throw new Error('an approval names a payment that is none')
    return fundedBy(payment)
  }

  async function give(
    { chain, approval, requestId, waitUntilMilliseconds, over }: FundingOrder,
    wallet: Wallet,
  ): Promise<Payment> {
    const { network } = chain.config
    const { hash, payer: recipient } = approval
    const asset = nativeOf(chain.config)
    const amount = baseUnits(approval.amount)
    const { accountId } = wallet
    const metadataText = JSON.stringify({ approval: hash, token: approval.asset })
    const { payment } = await carry(deps, {
      ...{ requestId, accountId, chain, asset, metadataText, waitUntilMilliseconds },
      ...{ walletAddress: wallet.address, walletField: WALLET_FIELD, operation: OPERATION },
      ...{ priorityFee: null, resource: null, waitFor: 'confirmed' },
      once: { key: `${network} ${hash}`, fingerprint: digestOf('sha256', hash, 'buffer') },
      ...{ clientGone: over, waitOver: over },
      demandAdmitted: async () => undefined,
      drafted: async (paymentId) => {
        const terms = { recipient, amount, sender: wallet.address, resource: null }
        const commitment = deps.proofs.commitmentOf({
          ...{ ...terms, paymentId, network, asset: asset.asset },
        })
        const draft = await draftOf(
          { chain, walletAddress: wallet.address, recipient, asset, amount, priorityFee: null },
          commitment,
        )
        const beside: NonNullable<Parameters<typeof noteFunding>[2]> = { paymentId, accountId }
        return {
          ...{ recipient, amount, commitment, draft },
          beside: (tx) => noteFunding(tx, approval, beside),
        }
      },
    })
    return payment
  }

  async function fund(order: FundingOrder): Promise<Funded> {
    const { chain, approval } = order
    if (approval.funding !== null) return givenBy(approval.funding, order)
    const wallet = await sponsorOf(chain)
    if (wallet === undefined) return { kind: 'refused', reason: 'network_unavailable' }
    try {
      return fundedBy(await give(order, wallet))
    } catch (error) {
      // It may be stored, or is by another instance: whoever asks again joins it.
      if (error instanceof AfterCommit || error instanceof FundedBefore) return { kind: 'pending' }
      if (!(error instanceof Refusal)) throw error
      if (error.code === 'NETWORK_ERROR') return { kind: 'pending' }
      const { code } = error
      log.warn({ network: chain.config.network, reason: code }, 'an approval was not sponsored')
      return { kind: 'refused', reason: REASONS[code] ?? 'network_unavailable' }
    }
  }

  return {
    clock,
    fund,
    canGive: openSponsorStanding({ store, clock, log }),
    refuses: async (chain, { funding, payer, amount }, fee) => {
      // What was given comes to the payer whatever else happens, unless nothing came of it.
      const given = funding === null ? undefined : await givenBy(funding, NOBODY_WAITS)
      if (given !== undefined) return given.kind === 'refused' ? given.reason : undefined
      const wallet = await sponsorOf(chain)
      if (wallet === undefined) return 'network_unavailable'
      const { network } = chain.config
      const native = nativeOf(chain.config)
      const [{ amounts }, refused] = await Promise.all([
        chain.balances(wallet.address, [native]),
        store.inTransaction(wallet.accountId, async (tx) => {
          const nowMilliseconds = clock.nowMilliseconds()
          const assets = [native.asset]
          const budget = await openBudget(tx, { wallet, network, assets, nowMilliseconds })
          return budget.check({
            ...{ paymentId: newId(random, 'pay'), asset: native.asset, amount },
            ...{ recipient: payer, resource: null },
          })
        }),
      ])
      if (refused !== undefined) return 'gas_budget_spent'
      if ((amounts[0] ?? 0n) >= amount + fee) return undefined
      log.warn({ network, address: wallet.address }, 'the wallet that sponsors approvals is empty')
      return 'network_unavailable'
    },
  }
}

/** What a refused payment means to the payment that it was for; everything else is the operator's to mend. */
const REASONS: Partial<Record<Refusal['code'], Reason>> = { POLICY_REFUSED: 'gas_budget_spent' }

function fundedBy({ status, blockHeight }: Payment): Funded {
  if (status === 'pending') return { kind: 'pending' }
  if (status === 'failed' || status === 'expired' || blockHeight === null) {
    return { kind: 'refused', reason: 'network_unavailable' }
  }
  return { kind: 'mined', height: blockHeight }
}
