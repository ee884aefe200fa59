import { useAssets } from '../api/use-assets.ts'
import { shareOf } from '../format/share-of.ts'
import { Amount } from '../parts/amount.tsx'
import { Badge } from '../parts/badge.tsx'
import { Meter } from '../parts/meter.tsx'
import type { Wallet } from './wallet.tsx'

type Budget = Wallet['budgets'][number]

export const WINDOW_NAMES = {
  perHour: 'any hour',
  perDay: 'any day',
  perMonth: 'any 30 days',
} as const satisfies Record<Budget['rule'], string>

/** A budget of which less than one part in so many is left is said to be low, as the overview says it. */
const LOW_PARTS = 10n

/** A limit over time: what of it is spent, held and left, in exact amounts. */
export function WalletBudget({ budget }: { budget: Budget }) {
  const assets = useAssets()
  const { network, asset, rule, allowed, spent, held, left } = budget
  const unit = assets.symbol(network, asset)
  const name = assets.network(network)?.name ?? network
  const spentShare = shareOf(budget.spentBaseUnits, budget.allowedBaseUnits)
  const takenBaseUnits = BigInt(budget.spentBaseUnits) + BigInt(budget.heldBaseUnits)
  const takenShare = shareOf(takenBaseUnits.toString(), budget.allowedBaseUnits)
  return (
    <div className="space-y-1.5">
      <div className="flex flex-wrap items-center justify-between gap-x-4">
        <span className="text-soft">In {WINDOW_NAMES[rule]}</span>
        <span className="flex flex-wrap items-center gap-x-2 font-medium">
          {isLow(budget) ? <Badge tone="warn">low</Badge> : null}
          <span>
            <Amount text={left} unit={unit} /> left
          </span>
        </span>
      </div>
      <Meter
        label={`Budget of ${unit} on ${name} in ${WINDOW_NAMES[rule]}`}
        text={`${spent} spent, ${held} held, ${left} left of ${allowed} ${unit}`}
        parts={[
          { share: spentShare, tone: 'brand' },
          { share: takenShare - spentShare, tone: 'info' },
        ]}
      />
      <div className="flex flex-wrap gap-x-4 text-soft">
        <Taken text={spent} unit={unit} tone="bg-brand" says="spent" />
        <Taken text={held} unit={unit} tone="bg-info" says="held" />
        <span className="sm:ml-auto">
          of <Amount text={allowed} unit={unit} />
        </span>
      </div>
    </div>
  )
}

function isLow({ leftBaseUnits, allowedBaseUnits }: Budget): boolean {
  const allowed = BigInt(allowedBaseUnits)
  return allowed > 0n && BigInt(leftBaseUnits) * LOW_PARTS < allowed
}

function Taken({
  text,
  unit,
  tone,
  says,
}: {
  text: string
  unit: string
  tone: string
  says: string
}) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <span aria-hidden="true" className={`size-2 rounded-full ${tone}`} />
      <Amount text={text} unit={unit} /> {says}
    </span>
  )
}
