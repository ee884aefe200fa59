import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { useDeed } from '../api/use-deed.ts'
import { usePages } from '../api/use-pages.ts'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Badge } from '../parts/badge.tsx'
import { Button } from '../parts/button.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { LoadMore } from '../parts/load-more.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { FreezeLaneDialog, LANE_READS } from './lane-freeze-dialog.tsx'
import type { LaneName } from './lane-freeze-dialog.tsx'
import { NetworkName } from './network-name.tsx'

type Key = Answer<'GET /operator/facilitator-keys'>['keys'][number]
type FeePayer = Key['networks'][number] & { readonly address: string }
type Lane = Answer<'GET /operator/lanes'>['lanes'][number]

/** The keys that pay for settlements, and every lane that signs nothing new. */
export function SystemLanes() {
  const payers = useAnswer('GET /operator/facilitator-keys')
  const assets = useAssets()
  const lanes = usePages('GET /operator/lanes', {
    asked: 'frozen',
    input: (cursor) => ({ query: { cursor } }),
    next: ({ nextCursor }) => nextCursor,
    rows: (page) => page.lanes,
    rowKey: ({ address, network }) => `${address} ${network}`,
    rowTime: () => 0,
  })
  const frozen = lanes.rows ?? []
  const [asked, setAsked] = useState<LaneName | null>(null)
  const release = useDeed('POST /operator/lanes/release', { refreshes: LANE_READS })
  const deed = ({ network, address, isFrozen }: LaneName & { isFrozen: boolean }) => (
    <Button
      kind="quiet"
      busy={release.isPending}
      aria-label={`${isFrozen ? 'Release' : 'Freeze'} lane of ${shortText(address)}`}
      onClick={() =>
        isFrozen ? release.mutate({ body: { network, address } }) : setAsked({ network, address })
      }
    >
      {isFrozen ? 'Release lane' : 'Freeze lane'}
    </Button>
  )
  const payerColumns: readonly Column<FeePayer>[] = [
    {
      header: 'Fee payer',
      narrow: 1,
      cell: ({ address }) => <Short text={address} what="address" />,
    },
    { header: 'Network', narrow: 3, cell: (payer) => <NetworkName id={payer.network} /> },
    {
      header: 'Balance',
      align: 'right',
      narrow: 2,
      cell: (payer) =>
        payer.balance === null ? (
          <>
            <NarrowName>balance </NarrowName>not known
          </>
        ) : (
          <Amount text={payer.balance} unit={assets.symbol(payer.network, 'native')} />
        ),
    },
    {
      header: 'Under way',
      align: 'right',
      cell: ({ lane }) => lane?.waiting ?? 0,
    },
    {
      header: 'Lane',
      narrow: 'line',
      cell: ({ lane }) => (
        <>
          <LaneState frozen={lane?.frozen ?? null} />
          <NarrowName>{` ${lane?.waiting ?? 0} under way`}</NarrowName>
        </>
      ),
    },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      // Without a lane it has not signed yet; freezing makes one that begins frozen.
      cell: ({ address, lane, network }) =>
        deed({ address, network, isFrozen: (lane?.frozen ?? null) !== null }),
    },
  ]
  const laneColumns: readonly Column<Lane>[] = [
    {
      header: 'Address',
      narrow: 1,
      cell: ({ address }) => <Short text={address} what="address" />,
    },
    { header: 'Network', narrow: 3, cell: (lane) => <NetworkName id={lane.network} /> },
    { header: 'Why', narrow: 'line', cell: (lane) => lane.frozen ?? '' },
    {
      header: 'Under way',
      align: 'right',
      narrow: 2,
      cell: (lane) => (
        <>
          {lane.waiting}
          <NarrowName> under way</NarrowName>
        </>
      ),
    },
    {
      header: 'Actions',
      quiet: true,
      align: 'right',
      narrow: 4,
      cell: (lane) => deed({ ...lane, isFrozen: true }),
    },
  ]
  const rows = (payers.data?.keys ?? []).flatMap((key) =>
    key.networks.map((each) => ({ ...each, address: key.address })),
  )
  return (
    <>
      {release.error === null ? null : <ErrorPanel error={release.error} />}
      <Released lane={release.data} />
      <section aria-labelledby="payers" className="space-y-3">
        <h2 id="payers" className="font-semibold">
          Fee payers
        </h2>
        <ReadFault of={payers} />
        {payers.data === undefined ? (
          payers.error === null ? (
            <SkeletonRows rows={2} />
          ) : null
        ) : (
          <Table
            caption="Fee payers"
            columns={payerColumns}
            rows={rows}
            rowKey={(payer) => `${payer.address} ${payer.network}`}
          />
        )}
      </section>
      <section aria-labelledby="lanes" className="space-y-3">
        <h2 id="lanes" className="font-semibold">
          Frozen lanes
        </h2>
        <ReadFault of={lanes.read} />
        {lanes.rows === undefined ? (
          lanes.error === null ? (
            <SkeletonRows rows={1} />
          ) : null
        ) : frozen.length === 0 ? (
          <p className="text-soft">No lane is frozen: every key signs.</p>
        ) : (
          <Table
            caption="Frozen lanes"
            columns={laneColumns}
            rows={frozen}
            rowKey={(lane) => `${lane.address} ${lane.network}`}
          />
        )}
        <LoadMore of={lanes} />
      </section>
      {asked === null ? null : <FreezeLaneDialog lane={asked} onClose={() => setAsked(null)} />}
    </>
  )
}

/** What a release did beside letting go, and what it could not look at. */
function Released({ lane }: { lane: Answer<'POST /operator/lanes/release'> | undefined }) {
  const assets = useAssets()
  if (lane === undefined || (lane.notRead.length === 0 && lane.filled.length === 0)) return null
  const symbols = lane.notRead.map((asset) => assets.symbol(lane.network, asset))
  return (
    <p role="status">
      The lane of <Short text={lane.address} what="address" /> was released.
      {lane.filled.length === 0
        ? null
        : ` Nobody had used nonce ${lane.filled.join(', ')}: a transaction of nothing fills it, and what waits behind it gets in.`}
      {symbols.length === 0
        ? null
        : ` No node told its balance of ${symbols.join(', ')}: these books stay as they were.`}
    </p>
  )
}

function LaneState({ frozen }: { frozen: string | null }) {
  return frozen === null ? (
    <Badge tone="good">signs</Badge>
  ) : (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Badge tone="bad">frozen</Badge>
      <span className="text-soft">{frozen}</span>
    </span>
  )
}
