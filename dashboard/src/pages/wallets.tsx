import { useState } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useMay } from '../app/session.tsx'
import { shortText } from '../format/short-text.ts'
import { Button } from '../parts/button.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Empty } from '../parts/empty.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { SkeletonRows } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { Time } from '../parts/time.tsx'
import { FAMILY_NAMES } from './wallet-family.ts'
import { CreateWalletDialog } from './wallet-create-dialog.tsx'
import { WalletBudgets } from './wallet-budgets.tsx'
import { WalletFunds } from './wallet-funds.tsx'

type Wallet = Answer<'GET /wallets'>['wallets'][number]

const COLUMNS: readonly Column<Wallet>[] = [
  {
    header: 'Wallet',
    narrow: 1,
    cell: ({ address, label, family }) => (
      <span className="block">
        <PageLink to={`/wallets/${address}`}>{label ?? FAMILY_NAMES[family]}</PageLink>
        <span className="flex items-center gap-1 text-soft">
          <span className="font-mono text-[0.8125rem] whitespace-nowrap">{shortText(address)}</span>
          <CopyButton text={address} what="address" />
        </span>
      </span>
    ),
  },
  { header: 'Family', narrow: 2, cell: ({ family }) => FAMILY_NAMES[family] },
  {
    header: 'To spend',
    align: 'right',
    narrow: 'line',
    cell: ({ address }) => <WalletFunds address={address} />,
  },
  {
    header: 'Policy and budgets',
    narrow: 3,
    cell: ({ address }) => <WalletBudgets address={address} />,
  },
  { header: 'Created', spare: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
]

/** The wallets whose keys the service holds. */
export function Page() {
  const read = useAnswer('GET /wallets')
  const { data, error } = read
  const mayCreate = useMay('write')
  const [isAsking, setAsking] = useState(false)
  const create = mayCreate ? (
    <Button kind="primary" icon="plus" onClick={() => setAsking(true)}>
      Create wallet
    </Button>
  ) : undefined
  return (
    <>
      <PageHeader title="Wallets" actions={create}>
        The service holds their keys and signs for them, within the policy that you give each.
      </PageHeader>
      <ReadFault of={read} />
      {data === undefined ? (
        error === null ? (
          <SkeletonRows />
        ) : null
      ) : data.wallets.length === 0 ? (
        <Empty title="No wallets yet">
          A wallet pays on every network of its family. Make one, then send money to its address.
        </Empty>
      ) : (
        <Table
          caption="Wallets"
          columns={COLUMNS}
          rows={data.wallets}
          rowKey={({ walletId }) => walletId}
        />
      )}
      {isAsking ? <CreateWalletDialog onClose={() => setAsking(false)} /> : null}
    </>
  )
}
