import { useAnswer } from '../api/use-answer.ts'
import { Empty } from '../parts/empty.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { PaymentTable } from './payments-table.tsx'

const SHOWN_MAX = 20
const REFETCH_SECONDS = 3

/** What was claimed to be settled and is in no block yet. */
export function SettlementQueue() {
  const read = useAnswer(
    'GET /payments',
    { query: { type: 'received', status: 'pending', limit: SHOWN_MAX } },
    { refetchSeconds: REFETCH_SECONDS },
  )
  const { data, error } = read
  return (
    <section aria-labelledby="queue" className="space-y-3">
      <h2 id="queue" className="font-semibold">
        Settlement queue
      </h2>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows rows={2} />
        ) : null
      ) : data.payments.length === 0 ? (
        <Empty title="Nothing waits to be settled">
          A settlement stands here from its claim until a block shows it.
        </Empty>
      ) : (
        <>
          <PaymentTable caption="Settlement queue" payments={data.payments} />
          {data.hasMore ? <p className="text-soft">The newest {SHOWN_MAX} of more.</p> : null}
        </>
      )}
    </section>
  )
}
