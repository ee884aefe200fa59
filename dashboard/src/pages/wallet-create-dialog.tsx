import { useState } from 'react'
import { useNavigate } from '@tanstack/react-router'
import { faultOf } from '../api/api-error.ts'
import { newKey } from '../api/api.ts'
import { useAssets } from '../api/use-assets.ts'
import { useDeed } from '../api/use-deed.ts'
import { Field } from '../parts/field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
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
  const family = families.find((each) => each === chosen) ?? families[0]
  const create = useDeed('POST /wallets', {
    refreshes: ['GET /wallets', 'GET /usage'],
    onDone: ({ address }) => void navigate({ to: `/wallets/${address}` }),
  })
  return (
    <FormDialog
      title="Create a wallet"
      submit="Create wallet"
      busy={create.isPending}
      error={create.error}
      onClose={onClose}
      isDisabled={family === undefined}
      onSubmit={() => {
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
    </FormDialog>
  )
}
