import type { Chain } from '../chains/chain.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { PaymentId } from '../kernel/id.ts'
import { lockBalances } from '../ledger/store.ts'
import type { PolicyRefusal } from '../policies/decide.ts'
import { openBudget } from '../policies/budget.ts'
import { followedHeight } from '../sender/follower-store.ts'
import type { Lane } from '../sender/lane-store.ts'
import type { Tx } from '../store/postgres.ts'
import type { PreparedSend } from './commit-sends.ts'
import type { Funds } from './funds.ts'
import { planFunds } from './funds.ts'
import { confirmedSpends } from './store.ts'

/** Money on chain that the books did not know. Base units. */
export interface Funding {
  readonly asset: string
  readonly amount: bigint
}

/** Why a send was not accepted; nothing of it was stored. `stale`: the node's figures are too old, ask again. */
export type Refused =
  | { readonly kind: 'stale' }
  | { readonly kind: 'short'; readonly funds: Extract<Funds, { ok: false }> }
  | { readonly kind: 'policy'; readonly refusal: PolicyRefusal }

export interface Decided {
  readonly refused: ReadonlyMap<PaymentId, Refused>
  readonly funding: readonly Funding[]
}

/**
 * Decides sends of one locked lane in their order: fresh figures, then the wallet's policy, then its money. What is not refused
 * has its budget reserved and must be stored in this same transaction.
 */
export async function decideSends(
  tx: Tx,
  {
    chain,
    wallet,
    lane,
    nowMilliseconds,
  }: { chain: Chain; wallet: Wallet; lane: Lane; nowMilliseconds: number },
  sends: readonly PreparedSend[],
): Promise<Decided> {
  const { network } = chain.config
  const assets = [...new Set(['native', ...sends.map(({ asset }) => asset.asset)])]
  const budget = await openBudget(tx, { wallet, network, nowMilliseconds })
  const balances = await lockBalances(tx, {
    accountId: wallet.accountId,
    walletId: wallet.id,
    network,
    assets,
  })
  const plan = planFunds({ balances, confirmed: await confirmedSpends(tx, wallet.id, network) })
  const readUpTo = (await followedHeight(tx, network)) ?? -1n
  const busy = [...balances.values()].some(({ held }) => held > 0n)

  const refused = new Map<PaymentId, Refused>()
  for (const send of sends) {
    const { height } = send.draft.balances
    if (height < lane.balanceFloorHeight) {
      refused.set(send.paymentId, { kind: 'stale' })
      continue
    }
    const spend = { ...send, asset: send.asset.asset }
    const refusal = budget.check(spend)
    if (refusal !== undefined) {
      refused.set(send.paymentId, { kind: 'policy', refusal })
      continue
    }
    const funds = plan.take(send)
    if (funds.ok) {
      budget.take(spend)
    } else {
      // Blocks that the follower has not read may show money as spent that the books hold for the same payment.
      refused.set(
        send.paymentId,
        busy && readUpTo < height ? { kind: 'stale' } : { kind: 'short', funds },
      )
    }
  }
  await budget.reserve(tx)
  return {
    refused,
    funding: [...plan.discovered].map(([asset, amount]) => ({ asset, amount })),
  }
}
