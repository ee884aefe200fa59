import { useAnswer } from '../api/use-answer.ts'
import { PageHeader } from '../parts/page-header.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { SystemDoctor } from './system-doctor.tsx'
import { SystemLanes } from './system-lanes.tsx'
import { SystemNetworks } from './system-networks.tsx'

const REFETCH_SECONDS = 10

/** How the installation does, for whoever runs it. */
export function Page() {
  const read = useAnswer('GET /operator/networks', {}, { refetchSeconds: REFETCH_SECONDS })
  const { data, error } = read
  return (
    <div className="space-y-6">
      <PageHeader title="System">
        Networks and their nodes, the keys that sign, and whether the books are right.
      </PageHeader>
      <ReadFault of={read} />
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
