import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { shareOf } from '../format/share-of.ts'
import { Amount } from '../parts/amount.tsx'
import { Meter } from '../parts/meter.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import type { Wallet } from './wallet.tsx'
import { WINDOW_NAMES } from './wallet-budget.tsx'

/** In a list of wallets: whether a policy holds, and what each limit over time has left. */
export function WalletBudgets({ address }: { address: string }) {
  const { data, error } = useAnswer('GET /wallets/{address}', { params: { address } })
  if (data === undefined) {
    if (error !== null) return <span className="text-soft">cannot be read now</span>
    return <Skeleton className="h-4 w-32" />
  }
  const { policy, budgets, label } = data
  if (policy === null) return <span className="text-soft">no policy</span>
  if (budgets.length === 0) return <span className="text-soft">no limits over time</span>
  return (
    <ul className="min-w-40 space-y-2">
      {budgets.map((budget) => (
        <li key={`${budget.network} ${budget.asset} ${budget.rule}`} className="space-y-1">
          <Left budget={budget} whose={label ?? address} />
        </li>
      ))}
    </ul>
  )
}

function Left({ budget, whose }: { budget: Wallet['budgets'][number]; whose: string }) {
  const assets = useAssets()
  const { network, asset, rule, left, allowed, allowedBaseUnits } = budget
  const unit = assets.symbol(network, asset)
  const spent = shareOf(budget.spentBaseUnits, allowedBaseUnits)
  const taken = BigInt(budget.spentBaseUnits) + BigInt(budget.heldBaseUnits)
  return (
    <>
      <span className="flex flex-wrap items-baseline gap-x-1.5">
        <Amount text={left} unit={unit} />
        <span className="text-soft">left in {WINDOW_NAMES[rule]}</span>
      </span>
      <Meter
        label={`Budget of ${whose}: ${unit} in ${WINDOW_NAMES[rule]}`}
        text={`${left} left of ${allowed} ${unit}`}
        parts={[
          { share: spent, tone: 'brand' },
          { share: shareOf(taken.toString(), allowedBaseUnits) - spent, tone: 'info' },
        ]}
      />
    </>
  )
}
