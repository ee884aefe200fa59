import type { UseQueryResult } from '@tanstack/react-query'
import type { Answer } from '../api/operation.ts'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { ReadFault } from '../parts/read-fault.tsx'
import { Short } from '../parts/short.tsx'
import { Skeleton } from '../parts/skeleton.tsx'

type Wallets = Answer<'GET /wallets'>
const SHOWN_MAX = 6

/** The wallets that the account has, and the way to have one. */
export function FirstPaymentWallets({ wallets }: { wallets: UseQueryResult<Wallets> }) {
  const create = useDeed('POST /wallets', { refreshes: ['GET /wallets'] })
  const { data, error } = wallets
  if (data === undefined) {
    return error === null ? <Skeleton className="h-20 w-full" /> : <ReadFault of={wallets} />
  }
  const own = data.wallets
  return (
    <div className="space-y-3">
      <ReadFault of={wallets} />
      {own.length === 0 ? (
        <p className="max-w-prose">
          The service holds the key of a wallet and signs for it. Make one, then send it some money:
          a sandbox has a faucet, whose command appears below.
        </p>
      ) : (
        <ul className="grid gap-2 sm:grid-cols-2 lg:grid-cols-3">
          {own.slice(0, SHOWN_MAX).map(({ walletId, address, label, family }) => (
            <li key={walletId} className="min-w-0 rounded-md border border-line px-3 py-2">
              <span className="block truncate font-medium">{label ?? family}</span>
              <Short text={address} what="address" />
            </li>
          ))}
        </ul>
      )}
      {own.length > SHOWN_MAX ? (
        <p className="text-soft">and {own.length - SHOWN_MAX} more</p>
      ) : null}
      <Button
        kind={own.length === 0 ? 'primary' : 'plain'}
        icon="plus"
        busy={create.isPending}
        onClick={() => create.mutate({ body: { family: 'evm' } })}
      >
        Create wallet
      </Button>
      {create.error === null ? null : <ErrorPanel error={create.error} />}
    </div>
  )
}
