import { useSession } from '../app/session.tsx'
import { useFilters } from '../app/use-filters.ts'
import { PageHeader } from '../parts/page-header.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { AuditLog } from './settings-audit.tsx'
import { AppearanceCard } from './settings-appearance.tsx'
import { MemberSettings } from './settings-members.tsx'
import { PasskeySettings } from './settings-passkeys.tsx'
import { PasswordCard } from './settings-password.tsx'
import { SessionSettings } from './settings-sessions.tsx'

/** Who is in the account, how one signs in, what was changed. */
export function Page() {
  const filters = useFilters()
  const { selected } = useSession()
  const tabs = [
    { name: 'Members', content: <MemberSettings /> },
    {
      name: 'Sign-in',
      content: (
        <div className="space-y-6">
          <PasskeySettings />
          <PasswordCard />
          <SessionSettings />
        </div>
      ),
    },
    ...(selected?.role === 'viewer' ? [] : [{ name: 'Audit log', content: <AuditLog /> }]),
    { name: 'Appearance', content: <AppearanceCard /> },
  ]
  return (
    <>
      <PageHeader title="Settings" />
      <Tabs
        label="Settings"
        tabs={tabs}
        chosen={filters.get('tab') || 'Members'}
        onChoose={(tab) => filters.set({ tab })}
      />
    </>
  )
}
