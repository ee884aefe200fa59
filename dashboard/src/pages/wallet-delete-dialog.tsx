import { useNavigate } from '@tanstack/react-router'
import { useDeed } from '../api/use-deed.ts'
import { Button } from '../parts/button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Facts } from '../parts/facts.tsx'
import { Short } from '../parts/short.tsx'
import { useToast } from '../parts/toast.tsx'
import type { Wallet } from './wallet.tsx'

/** Asks before a wallet goes, and says what that means. */
export function DeleteWalletDialog({ wallet, onClose }: { wallet: Wallet; onClose: () => void }) {
  const say = useToast()
  const navigate = useNavigate()
  const { address, label, balances, unread = [] } = wallet
  const left = [
    ...balances
      .filter(({ amountBaseUnits }) => amountBaseUnits !== '0')
      .map(({ amount, symbol }) => `${amount} ${symbol}`),
    ...unread.map(({ symbol }) => `${symbol} cannot be read now`),
  ]
  const remove = useDeed('DELETE /wallets/{address}', {
    refreshes: ['GET /wallets', 'GET /usage'],
    onDone: () => {
      say('The wallet was deleted')
      void navigate({ to: '/wallets' })
    },
  })
  return (
    <Dialog
      title="Delete this wallet?"
      onClose={onClose}
      actions={
        <Button
          kind="danger"
          busy={remove.isPending}
          onClick={() => remove.mutate({ params: { address } })}
        >
          Delete wallet
        </Button>
      }
    >
      <p>
        It must be empty and have no payment under way. It leaves the list, nothing can be paid from
        it any more, and its address is never given out again. Its payments stay in their list.
      </p>
      <p>
        Its key is kept, encrypted. Whatever is sent to the address afterwards still shows as
        received; whoever runs this installation can then bring the wallet back.
      </p>
      <Facts
        facts={[
          { name: 'Label', value: label ?? 'none' },
          { name: 'Address', value: <Short text={address} what="address" /> },
          {
            name: 'Still there',
            value: left.length === 0 ? 'nothing' : left.join(', '),
          },
        ]}
      />
      {remove.error === null ? null : <ErrorPanel error={remove.error} />}
    </Dialog>
  )
}
