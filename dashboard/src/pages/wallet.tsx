import { useState } from 'react'
import { Link } from '@tanstack/react-router'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { useMay } from '../app/session.tsx'
import { usePathPart } from '../app/use-path-part.ts'
import { columnFractionDigits } from '../format/amount-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Button, buttonStyle } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { NarrowName } from '../parts/narrow-name.tsx'
import { PageHeader } from '../parts/page-header.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { QrCode } from '../parts/qr-code.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Skeleton } from '../parts/skeleton.tsx'
import { Table } from '../parts/table.tsx'
import type { Column } from '../parts/table.tsx'
import { FaucetCommands } from './faucet-commands.tsx'
import { DeleteWalletDialog } from './wallet-delete-dialog.tsx'
import { Time } from '../parts/time.tsx'
import { NetworkName } from './network-name.tsx'
import { FAMILY_NAMES } from './wallet-family.ts'
import { WalletPolicyCard } from './wallet-policy.tsx'

export type Wallet = Answer<'GET /wallets/{address}'>
type Balance = Wallet['balances'][number]

/** One wallet: how it is paid, what it has, what it may spend. */
export function Page() {
  const address = usePathPart('address')
  const mayChange = useMay('write')
  const [isDeleting, setDeleting] = useState(false)
  const read = useAnswer('GET /wallets/{address}', { params: { address } })
  const { data, error } = read
  const actions = (
    <>
      <Link to="/payments" search={{ wallet: address }} className={buttonStyle()}>
        Its payments
      </Link>
      {mayChange && data !== undefined ? (
        <Button kind="danger" onClick={() => setDeleting(true)}>
          Delete wallet
        </Button>
      ) : null}
    </>
  )
  const name = data === undefined ? 'Wallet' : (data.label ?? `${FAMILY_NAMES[data.family]} wallet`)
  return (
    <>
      <p className="mb-2">
        <PageLink to="/wallets">All wallets</PageLink>
      </p>
      <PageHeader title={name} actions={actions}>
        {data === undefined ? (
          <Skeleton className="inline-block h-4 w-40" />
        ) : (
          <>
            {FAMILY_NAMES[data.family]}, created <Time at={data.createdAt} />
          </>
        )}
      </PageHeader>
      <ReadFault of={read} />
      {data !== undefined ? (
        <div className="space-y-4">
          <Receive wallet={data} />
          <FaucetCommands wallet={data} />
          <Balances wallet={data} />
          <WalletPolicyCard wallet={data} />
        </div>
      ) : error === null ? (
        <div className="space-y-4">
          <Skeleton className="h-64 w-full" />
          <Skeleton className="h-40 w-full" />
        </div>
      ) : null}
      {isDeleting && data !== undefined ? (
        <DeleteWalletDialog wallet={data} onClose={() => setDeleting(false)} />
      ) : null}
    </>
  )
}

function Receive({ wallet: { address, family, sandbox } }: { wallet: Wallet }) {
  const { networks } = useAssets()
  const names = networks.filter((each) => each.family === family).map(({ name }) => name)
  return (
    <Card title="Receive">
      <div className="flex flex-wrap items-center gap-x-6 gap-y-4">
        <QrCode text={address} what="address" />
        <div className="min-w-0 flex-1 basis-64 space-y-3">
          <div className="flex items-center gap-2 rounded-md border border-line bg-raised p-3">
            <code className="grow font-mono text-[0.8125rem] break-all">{address}</code>
            <CopyButton text={address} what="address" />
          </div>
          <p className="max-w-prose text-soft">
            Whatever is sent here on {names.join(', ') || 'an enabled network'} appears under
            payments as soon as it is on chain.
            {sandbox ? ' This is a sandbox: never send real money to it.' : ''}
          </p>
        </div>
      </div>
    </Card>
  )
}

function Balances({ wallet: { balances, unread = [] } }: { wallet: Wallet }) {
  const amounts = (field: 'amount' | 'held' | 'available') => {
    const fractionDigits = columnFractionDigits(balances.map((row) => row[field]))
    return (row: Balance) => (
      <Amount text={row[field]} unit={row.symbol} fractionDigits={fractionDigits} />
    )
  }
  const columns: readonly Column<Balance>[] = [
    {
      header: 'Asset',
      narrow: 1,
      cell: ({ symbol }) => <span className="font-medium">{symbol}</span>,
    },
    { header: 'Network', narrow: 'line', cell: ({ network }) => <NetworkName id={network} /> },
    {
      header: 'On chain',
      align: 'right',
      narrow: 'line',
      cell: (row) => (
        <>
          {amounts('amount')(row)}
          <NarrowName> on chain</NarrowName>
        </>
      ),
    },
    {
      header: 'Held',
      align: 'right',
      narrow: 'line',
      cell: (row) => (
        <>
          {amounts('held')(row)}
          <NarrowName> held for payments</NarrowName>
        </>
      ),
    },
    {
      header: 'To spend',
      align: 'right',
      narrow: 2,
      cell: (row) => (
        <>
          {amounts('available')(row)}
          <NarrowName> to spend</NarrowName>
        </>
      ),
    },
  ]
  return (
    <section aria-labelledby="balances" className="space-y-3 pt-2">
      <h2 id="balances" className="font-semibold">
        Balances
      </h2>
      <Table
        caption="Balances"
        columns={columns}
        rows={balances}
        rowKey={({ network, asset }) => `${network} ${asset}`}
      />
      {unread.length === 0 ? null : (
        <ul className="text-soft">
          {unread.map(({ network, asset, symbol }) => (
            <li key={`${network} ${asset}`}>
              {symbol} on <NetworkName id={network} /> cannot be read now: what the wallet has of it
              is unknown.
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
