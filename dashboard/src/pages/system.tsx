import { useAnswer } from '../api/use-answer.ts'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { SystemDoctor } from './system-doctor.tsx'
import { SystemLanes } from './system-lanes.tsx'
import { SystemNetworks } from './system-networks.tsx'

const REFETCH_SECONDS = 10

/** How the installation does, for whoever runs it. */
export function Page() {
  const { data, error, refetch } = useAnswer(
    'GET /operator/networks',
    {},
    { refetchSeconds: REFETCH_SECONDS },
  )
  return (
    <div className="space-y-6">
      <PageHeader title="System">
        Networks and their nodes, the keys that sign, and whether the books are right.
      </PageHeader>
      {error === null ? null : <ErrorPanel error={error} onRetry={() => void refetch()} />}
      {data !== undefined ? (
        <SystemNetworks networks={data.networks} />
      ) : error === null ? (
        <SkeletonRows rows={3} />
      ) : null}
      <SystemLanes />
      <SystemDoctor />
    </div>
  )
}
