import { useState } from 'react'
import { useAssets } from '../api/use-assets.ts'
import { useMay } from '../app/session.tsx'
import { Amount } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import type { Wallet } from './wallet.tsx'
import { WalletBudget } from './wallet-budget.tsx'
import { WalletPolicyDialog } from './wallet-policy-dialog.tsx'

/** What a wallet may spend, on whom and for what. */
export function WalletPolicyCard({ wallet }: { wallet: Wallet }) {
  const { policy } = wallet
  const [maySet, mayLift] = [useMay('write'), useMay('admin')]
  // Whoever may only spend sets a first one, and lifts none.
  const mayChange = maySet && (policy === null || mayLift)
  const [isAsking, setAsking] = useState(false)
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
  wallet: { budgets },
  policy,
}: {
  wallet: Wallet
  policy: NonNullable<Wallet['policy']>
}) {
  const assets = useAssets()
  return (
    <Facts
      facts={[
        ...policy.limits.map(({ network, asset, perPayment }) => ({
          name: `${assets.symbol(network, asset)} on ${assets.network(network)?.name ?? network}`,
          value: (
            <div className="space-y-4">
              {perPayment === undefined ? null : (
                <p>
                  <Amount text={perPayment} unit={assets.symbol(network, asset)} />{' '}
                  <span className="text-soft">in one payment</span>
                </p>
              )}
              {budgets
                .filter((budget) => budget.network === network && budget.asset === asset)
                .map((budget) => (
                  <WalletBudget key={budget.rule} budget={budget} />
                ))}
            </div>
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
