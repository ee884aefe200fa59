import { useState } from 'react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { browserSupportsWebAuthn, startRegistration } from '@simplewebauthn/browser'
import { asRegistrationOptions } from '../api/as-passkey-options.ts'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useApi } from '../app/services.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import { DeletePasskeyDialog } from './settings-passkey-delete-dialog.tsx'

export type Passkey = Answer<'GET /me/passkeys'>['passkeys'][number]

/** The passkeys of this person: make one, delete one. */
export function PasskeySettings() {
  const read = useAnswer('GET /me/passkeys')
  const { data, error } = read
  const [asked, setAsked] = useState<Passkey | null>(null)
  const columns: readonly Column<Passkey>[] = [
    {
      header: 'Name',
      narrow: 1,
      cell: ({ name }) => <span className="font-medium break-words">{name}</span>,
    },
    {
      header: 'Made',
      narrow: 2,
      cell: ({ createdAt }) => (
        <>
          <NarrowName>made </NarrowName>
          <Time at={createdAt} />
        </>
      ),
    },
    {
      header: 'Last used',
      narrow: 3,
      cell: ({ lastUsedAt }) =>
        lastUsedAt === null ? (
          <>
            never<NarrowName> used</NarrowName>
          </>
        ) : (
          <>
            <NarrowName>used </NarrowName>
            <Time at={lastUsedAt} />
          </>
        ),
    },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: (passkey) => (
        <Button
          kind="quiet"
          aria-label={`Delete passkey ${passkey.name}`}
          onClick={() => setAsked(passkey)}
        >
          Delete
        </Button>
      ),
    },
  ]
  return (
    <Card title="Passkeys">
      <div className="space-y-4">
        <ReadFault of={read} />
        {data === undefined ? (
          error === null ? (
            <Skeleton className="h-6 w-48" />
          ) : null
        ) : data.passkeys.length === 0 ? (
          <p className="text-soft">None yet. A passkey signs in without a password.</p>
        ) : (
          <Table
            caption="Passkeys"
            columns={columns}
            rows={data.passkeys}
            rowKey={({ passkeyId }) => passkeyId}
          />
        )}
        <AddPasskey />
      </div>
      {asked === null ? null : (
        <DeletePasskeyDialog
          passkey={asked}
          isLast={data?.passkeys.length === 1}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  )
}

function AddPasskey() {
  const api = useApi()
  const client = useQueryClient()
  const say = useToast()
  const [name, setName] = useState('')
  const add = useMutation({
    mutationFn: async () => {
      const { options } = await api.call('POST /me/passkeys/options')
      const made = await startRegistration({ optionsJSON: asRegistrationOptions(options) })
      const { id, rawId, type, clientExtensionResults, authenticatorAttachment } = made
      const { clientDataJSON, attestationObject, transports } = made.response
      return api.call('POST /me/passkeys', {
        body: {
          name: name.trim(),
          response: {
            ...{ id, rawId, type, clientExtensionResults },
            ...(authenticatorAttachment === undefined ? {} : { authenticatorAttachment }),
            response: {
              ...{ clientDataJSON, attestationObject },
              ...(transports === undefined ? {} : { transports }),
            },
          },
        },
      })
    },
    onSuccess: async () => {
      say('The passkey signs in from now on')
      setName('')
      await client.invalidateQueries({ queryKey: ['GET /me/passkeys'] })
    },
  })
  if (!browserSupportsWebAuthn()) return <p>This browser has no passkeys.</p>
  return (
    <form
      className="flex flex-wrap items-end gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        add.mutate()
      }}
    >
      <div className="min-w-48 flex-1 sm:max-w-xs">
        <Field
          label="Name of the new passkey"
          required
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
      </div>
      <Button type="submit" icon="plus" busy={add.isPending}>
        Add passkey
      </Button>
      {add.error === null ? null : (
        <div className="w-full">
          <ErrorPanel error={add.error} />
        </div>
      )}
    </form>
  )
}
