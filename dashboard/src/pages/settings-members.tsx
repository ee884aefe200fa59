import { useState } from 'react'
import { ROLES } from '@florin/wire/role.ts'
import type { Role } from '@florin/wire/role.ts'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useDeed } from '../api/use-deed.ts'
import { useSession } from '../app/session.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { inputStyle } from '../parts/field.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { useToast } from '../parts/toast.tsx'
import { InviteDialog } from './settings-invite-dialog.tsx'

type Member = Answer<'GET /members'>['members'][number]

/** Who may use the account, and as what. */
export function MemberSettings() {
  const read = useAnswer('GET /members')
  const { data, error } = read
  const { selected, member } = useSession()
  const isOwner = selected?.role === 'owner'
  const [asked, setAsked] = useState<'invite' | Member | null>(null)
  const columns: readonly Column<Member>[] = [
    {
      header: 'Member',
      narrow: 1,
      cell: ({ memberId, name, email }) => (
        <span className="block">
          <span className="block font-medium break-words">
            {name} {memberId === member.memberId ? <Badge tone="brand">you</Badge> : null}
          </span>
          <span className="break-all text-soft">{email ?? 'no email yet'}</span>
        </span>
      ),
    },
    {
      header: 'Role',
      narrow: 2,
      cell: (each) => (isOwner ? <RoleChoice member={each} /> : each.role),
    },
    {
      header: 'Last seen',
      narrow: 3,
      cell: ({ lastSeenAt, joinedAt, invitedUntil }) =>
        joinedAt === null && invitedUntil !== null ? (
          <Badge tone="warn">invited</Badge>
        ) : lastSeenAt === null ? (
          <>
            never<NarrowName> seen</NarrowName>
          </>
        ) : (
          <>
            <NarrowName>seen </NarrowName>
            <Time at={lastSeenAt} />
          </>
        ),
    },
    ...(isOwner
      ? [
          {
            header: 'Actions',
            quiet: true,
            align: 'right' as const,
            narrow: 4 as const,
            cell: (each: Member) => (
              <Button
                kind="quiet"
                aria-label={`Remove ${each.name}`}
                onClick={() => setAsked(each)}
              >
                Remove
              </Button>
            ),
          },
        ]
      : []),
  ]
  return (
    <section aria-labelledby="members" className="space-y-3">
      <div className="flex min-h-9 flex-wrap items-center justify-between gap-3">
        <h2 id="members" className="font-semibold">
          Members of {selected?.name}
        </h2>
        {isOwner ? (
          <Button kind="primary" icon="plus" onClick={() => setAsked('invite')}>
            Invite member
          </Button>
        ) : null}
      </div>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={3} />
        ) : null
      ) : (
        <Table
          caption="Members"
          columns={columns}
          rows={data.members}
          rowKey={({ memberId }) => memberId}
        />
      )}
      {asked === 'invite' ? <InviteDialog onClose={() => setAsked(null)} /> : null}
      {asked === null || asked === 'invite' ? null : (
        <RemoveDialog member={asked} onClose={() => setAsked(null)} />
      )}
    </section>
  )
}

function RoleChoice({ member: { memberId, name, role } }: { member: Member }) {
  const say = useToast()
  const change = useDeed('PATCH /members/{memberId}', {
    refreshes: ['GET /members', 'GET /audit'],
    onDone: (answer) => say(`${answer.name} is ${answer.role} now`),
  })
  return (
    <span className="inline-block w-36">
      <select
        aria-label={`Role of ${name}`}
        className={inputStyle}
        value={role}
        disabled={change.isPending}
        onChange={({ target }) => {
          const chosen: Role | undefined = ROLES.find((each) => each === target.value)
          if (chosen !== undefined) change.mutate({ params: { memberId }, body: { role: chosen } })
        }}
      >
        {ROLES.map((each) => (
          <option key={each} value={each}>
            {each}
          </option>
        ))}
      </select>
      {change.error === null ? null : (
        <span role="alert" className="block text-bad">
          {change.error.message}
        </span>
      )}
    </span>
  )
}

function RemoveDialog({ member, onClose }: { member: Member; onClose: () => void }) {
  const say = useToast()
  const remove = useDeed('DELETE /members/{memberId}', {
    refreshes: ['GET /members', 'GET /audit'],
    onDone: () => {
      say(`${member.name} was removed`)
      onClose()
    },
  })
  return (
    <Dialog
      title={`Remove ${member.name}?`}
      onClose={onClose}
      actions={
        <Button
          kind="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ params: { memberId: member.memberId } })}
        >
          Remove member
        </Button>
      }
    >
      <p>Their sessions in this account end at once. Keys that they generated stay.</p>
      {remove.error === null ? null : <ErrorPanel error={remove.error} />}
    </Dialog>
  )
}
