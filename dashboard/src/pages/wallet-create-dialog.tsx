import { useId, useState } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { faultOf } from '../api/api-error.ts'
import { newKey } from '../api/api.ts'
import { useAssets } from '../api/use-assets.ts'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'
import { FAMILY_NAMES } from './wallet-family.ts'

/** Asks what a new wallet is for, makes it and shows it. */
export function CreateWalletDialog({ onClose }: { onClose: () => void }) {
  const { networks } = useAssets()
  const navigate = useNavigate()
  const families = [...new Set(networks.map(({ family }) => family))]
  const [chosen, setChosen] = useState('')
  const [label, setLabel] = useState('')
  const [idempotencyKey] = useState(newKey)
  const form = useId()
  const family = families.find((each) => each === chosen) ?? families[0]
  const create = useDeed('POST /wallets', {
    refreshes: ['GET /wallets', 'GET /usage'],
    onDone: ({ address }) => void navigate({ to: `/wallets/${address}` }),
  })
  return (
    <Dialog
      title="Create a wallet"
      onClose={onClose}
      actions={
        <Button
          type="submit"
          form={form}
          kind="primary"
          busy={create.isPending}
          disabled={family === undefined}
        >
          Create wallet
        </Button>
      }
    >
      <form
        id={form}
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (family === undefined) return
          const name = label.trim()
          create.mutate({
            body: { family, ...(name === '' ? {} : { label: name }) },
            idempotencyKey,
          })
        }}
      >
        <Field
          label="Label"
          hint="What you call it. It can be left out."
          maxLength={100}
          value={label}
          fault={faultOf(create.error, 'label')}
          onChange={({ target }) => setLabel(target.value)}
        />
        <Select
          label="Family"
          hint="It pays on every enabled network of this family."
          choices={families.map((value) => ({ value, label: FAMILY_NAMES[value] }))}
          value={family}
          onChoose={setChosen}
        />
        {create.error === null ? null : <ErrorPanel error={create.error} />}
      </form>
    </Dialog>
  )
}
