import { useState } from 'react'
import { useAssets } from '../api/use-assets.ts'
import { useDeed } from '../api/use-deed.ts'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { TextArea } from '../parts/text-area.tsx'
import { useToast } from '../parts/toast.tsx'
import { NetworkName } from './network-name.tsx'
import type { Wallet } from './wallet.tsx'
import { policyBody } from './wallet-policy-body.ts'
import type { LimitText } from './wallet-policy-body.ts'

const RULES = [
  { field: 'perPayment', label: 'Per payment' },
  { field: 'perHour', label: 'Per hour' },
  { field: 'perDay', label: 'Per day' },
  { field: 'perMonth', label: 'Per 30 days' },
] as const

/** A limit is of one name of a currency: what has another is limited, and allowed, by itself. */
function underEachName({ network, asset, alsoAs = [] }: Wallet['balances'][number]) {
  return [{ network, asset }, ...alsoAs.map((name) => ({ network, asset: name.asset }))]
}

/** Changes what a wallet may spend; an empty form takes every limit away. */
export function WalletPolicyDialog({ wallet, onClose }: { wallet: Wallet; onClose: () => void }) {
  const { address, balances, unread = [], policy } = wallet
  const assets = useAssets()
  const say = useToast()
  const [limits, setLimits] = useState<readonly LimitText[]>(() =>
    // A limit that had no field here would be taken away by saving.
    [...balances.flatMap(underEachName), ...unread].map(({ network, asset }) => {
      const now = policy?.limits.find((each) => each.network === network && each.asset === asset)
      return {
        ...{ network, asset },
        ...{ perPayment: now?.perPayment ?? '', perHour: now?.perHour ?? '' },
        ...{ perDay: now?.perDay ?? '', perMonth: now?.perMonth ?? '' },
      }
    }),
  )
  const [recipients, setRecipients] = useState(policy?.recipients?.join('\n') ?? '')
  const [resources, setResources] = useState(policy?.resources?.join('\n') ?? '')
  const save = useDeed('PUT /wallets/{address}/policy', {
    refreshes: ['GET /wallets/{address}', 'GET /overview'],
    onDone: () => {
      say('The policy is in force')
      onClose()
    },
  })
  const set = (index: number, change: Partial<LimitText>) =>
    setLimits(limits.map((each, at) => (at === index ? { ...each, ...change } : each)))
  return (
    <FormDialog
      title="Spending policy"
      submit="Save policy"
      busy={save.isPending}
      error={save.error}
      onClose={onClose}
      onSubmit={() => {
        save.mutate({ params: { address }, body: policyBody({ limits, recipients, resources }) })
      }}
    >
      <p className="text-soft">
        Once one asset has a limit, an asset without any may not be spent.
      </p>
      {limits.map((limit, index) => (
        <fieldset key={`${limit.network} ${limit.asset}`}>
          <legend className="mb-2 font-medium">
            {assets.symbol(limit.network, limit.asset)}
            <span className="ml-2 font-normal text-soft">
              <NetworkName id={limit.network} />
            </span>
          </legend>
          <div className="grid grid-cols-2 gap-3">
            {RULES.map(({ field, label }) => (
              <Field
                key={field}
                label={label}
                inputMode="decimal"
                pattern="\d+(\.\d+)?"
                title="A decimal number such as 2.5"
                value={limit[field]}
                onChange={({ target }) => set(index, { [field]: target.value.trim() })}
              />
            ))}
          </div>
        </fieldset>
      ))}
      <TextArea
        label="Who may be paid"
        hint="One address per line; anybody when empty."
        value={recipients}
        onChange={({ target }) => setRecipients(target.value)}
      />
      <TextArea
        label="What may be paid for"
        hint="One URL, or the start of one, per line; anything when empty."
        value={resources}
        onChange={({ target }) => setResources(target.value)}
      />
    </FormDialog>
  )
}
