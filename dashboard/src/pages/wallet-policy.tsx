import { useState } from 'react'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { useMay } from '../app/session.tsx'
import { Amount } from '../parts/amount.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import type { Wallet } from './wallet.tsx'
import { WalletPolicyDialog } from './wallet-policy-dialog.tsx'

const RULES = [
  { field: 'perPayment', says: 'one payment' },
  { field: 'perHour', says: 'any hour' },
  { field: 'perDay', says: 'any day' },
  { field: 'perMonth', says: 'any 30 days' },
] as const

/** What a wallet may spend, on whom and for what. */
export function WalletPolicyCard({ wallet }: { wallet: Wallet }) {
  const mayChange = useMay('write')
  const [isAsking, setAsking] = useState(false)
  const { policy } = wallet
  return (
    <Card
      title="Spending policy"
      actions={
        mayChange ? (
          <Button kind="quiet" onClick={() => setAsking(true)}>
            Edit policy
          </Button>
        ) : undefined
      }
    >
      {policy === null ? (
        <p className="max-w-prose text-soft">
          None: whoever may pay from this account may spend all that the wallet has. Set limits per
          payment, hour, day or month, and name who may be paid.
        </p>
      ) : (
        <PolicyFacts wallet={wallet} policy={policy} />
      )}
      {isAsking ? <WalletPolicyDialog wallet={wallet} onClose={() => setAsking(false)} /> : null}
    </Card>
  )
}

function PolicyFacts({
  wallet: { address },
  policy,
}: {
  wallet: Wallet
  policy: NonNullable<Wallet['policy']>
}) {
  const assets = useAssets()
  const { data } = useAnswer('GET /overview', { query: { period: 'day' } })
  const low = (data?.attention ?? []).filter(
    (each) => each.kind === 'budget_low' && each.address === address,
  )
  return (
    <Facts
      facts={[
        ...policy.limits.map((limit) => ({
          name: `${assets.symbol(limit.network, limit.asset)} on ${assets.network(limit.network)?.name ?? limit.network}`,
          value: (
            <ul className="space-y-1">
              {RULES.map(({ field, says }) => {
                const allowed = limit[field]
                if (allowed === undefined) return null
                const short = low.find(
                  (each) =>
                    each.kind === 'budget_low' &&
                    each.rule === field &&
                    each.network === limit.network &&
                    each.asset === limit.asset,
                )
                return (
                  <li key={field} className="flex flex-wrap items-center gap-x-2">
                    <Amount text={allowed} unit={assets.symbol(limit.network, limit.asset)} />
                    <span className="text-soft">in {says}</span>
                    {short?.kind === 'budget_low' ? (
                      <Badge tone="warn">only {short.left} left</Badge>
                    ) : null}
                  </li>
                )
              })}
            </ul>
          ),
        })),
        {
          name: 'Who may be paid',
          value: policy.recipients === null ? 'anybody' : <Lines texts={policy.recipients} />,
        },
        {
          name: 'What may be paid for',
          value: policy.resources === null ? 'anything' : <Lines texts={policy.resources} />,
        },
      ]}
    />
  )
}

function Lines({ texts }: { texts: readonly string[] }) {
  return (
    <ul className="font-mono text-[0.8125rem] break-all">
      {texts.map((text) => (
        <li key={text}>{text}</li>
      ))}
    </ul>
  )
}
