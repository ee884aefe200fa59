import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { percentText } from '../format/percent-text.ts'
import { shareOf } from '../format/share-of.ts'
import { Amount } from '../parts/amount.tsx'
import { Badge } from '../parts/badge.tsx'
import { Card } from '../parts/card.tsx'
import { Facts } from '../parts/facts.tsx'
import { Meter } from '../parts/meter.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Time } from '../parts/time.tsx'

type Sponsoring = Answer<'GET /x402/sponsoring'>['networks'][number]

const REFETCH_SECONDS = 15

/** Per network: what settling took of the budget of today, and who pays. */
export function SponsoringCards() {
  const read = useAnswer('GET /x402/sponsoring', {}, { refetchSeconds: REFETCH_SECONDS })
  const { data, error } = read
  return (
    <section aria-labelledby="gas" className="space-y-3">
      <h2 id="gas" className="font-semibold">
        Gas for settlements
      </h2>
      <ReadFault of={read} />
      {data !== undefined ? (
        <div className="grid grid-cols-1 items-start gap-4 lg:grid-cols-2">
          {data.networks.map((each) => (
            <SponsoringCard key={each.network} sponsoring={each} />
          ))}
        </div>
      ) : error === null ? (
        <Skeleton className="h-56 w-full" />
      ) : null}
    </section>
  )
}

function SponsoringCard({ sponsoring }: { sponsoring: Sponsoring }) {
  const assets = useAssets()
  const { network, symbol, perDay, reserved, perDayBaseUnits, reservedBaseUnits } = sponsoring
  const share = shareOf(reservedBaseUnits, perDayBaseUnits)
  const name = assets.network(network)?.name ?? network
  return (
    <Card
      title={name}
      actions={<span className="text-soft tabular-nums">{percentText(share)} of today</span>}
    >
      <div className="space-y-4">
        <Meter
          label={`Gas budget of today on ${name}`}
          parts={[{ share, tone: share >= 0.9 ? 'bad' : 'brand' }]}
        />
        <Facts
          facts={[
            { name: 'Taken today', value: <Amount text={reserved} unit={symbol} /> },
            { name: 'Budget of a day', value: <Amount text={perDay} unit={symbol} /> },
            {
              name: 'Fees are paid by',
              value: (
                <ul className="space-y-1">
                  {sponsoring.feePayers.map((payer) => (
                    <FeePayer key={payer.address} payer={payer} symbol={symbol} />
                  ))}
                </ul>
              ),
            },
          ]}
        />
      </div>
    </Card>
  )
}

function FeePayer({
  payer: { address, balance, isLow, seenAt },
  symbol,
}: {
  payer: Sponsoring['feePayers'][number]
  symbol: string
}) {
  return (
    <li className="flex flex-wrap items-center gap-x-3">
      <Short text={address} what="fee payer" />
      {balance === null ? (
        <span className="text-soft">not looked at yet</span>
      ) : (
        <Amount text={balance} unit={symbol} />
      )}
      {seenAt === null ? null : (
        <span className="text-soft">
          <Time at={seenAt} />
        </span>
      )}
      {isLow ? <Badge tone="warn">signs nothing</Badge> : null}
    </li>
  )
}
