import { CodeBlock } from '../parts/code-block.tsx'
import type { Wallet } from './wallet.tsx'

const callOf = (order: object) => `curl -sS $FLORIN_FAUCET_URL -d '${JSON.stringify(order)}'`

/** How an empty wallet of a sandbox comes by money: its faucet gives, and is known to a terminal only. Nothing for any other wallet. */
export function FaucetCommands({
  wallet: { address, balances, unread = [], sandbox },
}: {
  wallet: Pick<Wallet, 'address' | 'balances' | 'unread' | 'sandbox'>
}) {
  const isEmpty =
    unread.length === 0 && balances.every(({ amountBaseUnits }) => amountBaseUnits === '0')
  if (!sandbox || !isEmpty) return null
  const code = [
    'eval "$(npx florin env)"',
    callOf({ address }),
    callOf({ address, asset: 'USDC' }),
  ].join('\n')
  return (
    <div className="space-y-2">
      <p className="max-w-prose text-soft">
        The wallet is empty. The sandbox gives money for nothing: run this where it was started.
      </p>
      <CodeBlock code={code} what="faucet commands" />
    </div>
  )
}
