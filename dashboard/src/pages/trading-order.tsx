import { useState } from 'react'
import { faultOf } from '../api/api-error.ts'
import { openOrderKeys } from '../api/order-keys.ts'
import { useDeed } from '../api/use-deed.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { Card } from '../parts/card.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { Segments } from '../parts/segments.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { Select } from '../parts/select.tsx'
import { useToast } from '../parts/toast.tsx'
import type { Token, Wallet } from './trading.tsx'
import { TradingQuote } from './trading-quote.tsx'
import { nameOf } from './trading-tokens.tsx'

const SIDES = [
  { value: 'buy', label: 'Buy' },
  { value: 'sell', label: 'Sell' },
] as const
type Side = (typeof SIDES)[number]['value']
const FIRST = { buy: '0.1', sell: '50%' } as const
const PLAIN = /^\d+(\.\d+)?$/

/** Buys and sells the chosen token from a wallet that the service holds. */
export function TradingOrder({
  token,
  wallets,
  wallet,
  onWallet,
}: {
  token: Token
  wallets: readonly Wallet[]
  wallet: Wallet | undefined
  onWallet: (address: string) => void
}) {
  const assets = useAssets()
  const say = useToast()
  const [side, setSide] = useState<Side>('buy')
  const [amount, setAmount] = useState<string>(FIRST.buy)
  const [slippage, setSlippage] = useState('1')
  const [keys] = useState(openOrderKeys)
  const name = nameOf(token)
  const whenDone = (side: Side) => ({
    refreshes: ['GET /trade/history/{publicKey}', 'GET /portfolio/{publicKey}'] as const,
    onDone: ({ status }: { readonly status: string }, { body }: { readonly body: object }) => {
      keys.done({ side, ...body })
      say(`${side === 'buy' ? 'Buy' : 'Sale'} of ${name}: ${status}`)
    },
    onFailed: (error: Error, { body }: { readonly body: object }) =>
      keys.failed({ side, ...body }, error),
  })
  const buy = useDeed('POST /trade/buy', whenDone('buy'))
  const sell = useDeed('POST /trade/sell', whenDone('sell'))
  const deed = side === 'buy' ? buy : sell
  const unit = side === 'buy' ? assets.symbol(token.network, 'native') : name
  const choose = (next: Side) => {
    setSide(next)
    setAmount(FIRST[next])
    buy.reset()
    sell.reset()
  }
  if (wallet === undefined) {
    return (
      <Card title={`Trade ${name}`}>
        <p className="text-soft">
          It begins with a wallet of this network: make one under{' '}
          <PageLink to="/wallets">Wallets</PageLink>.
        </p>
      </Card>
    )
  }
  const order = {
    publicKey: wallet.address,
    mint: token.mint,
    network: token.network,
    amount,
    slippage,
  }
  return (
    <Card
      title={`Trade ${name}`}
      actions={<Segments label="Side" choices={SIDES} chosen={side} onChoose={choose} />}
    >
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          deed.mutate({ body: order, idempotencyKey: keys.send({ side, ...order }) })
        }}
      >
        <div className="space-y-1">
          <Select
            label="Wallet"
            choices={wallets.map(({ address, label }) => ({
              value: address,
              label: `${label ?? 'wallet'} (${shortText(address)})`,
            }))}
            value={wallet.address}
            onChoose={onWallet}
            fault={faultOf(deed.error, 'publicKey')}
          />
          <Available wallet={wallet} token={token} side={side} />
        </div>
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label={`Amount in ${unit}`}
            hint={side === 'sell' ? 'Tokens, or a part such as 50%.' : undefined}
            required
            inputMode="decimal"
            value={amount}
            fault={faultOf(deed.error, 'amount')}
            onChange={({ target }) => setAmount(target.value.trim())}
          />
          <Field
            label="Slippage in percent"
            hint="The chain refuses to give less."
            required
            inputMode="decimal"
            value={slippage}
            fault={faultOf(deed.error, 'slippage')}
            onChange={({ target }) => setSlippage(target.value.trim())}
          />
        </div>
        {PLAIN.test(amount) && PLAIN.test(slippage) ? (
          <TradingQuote token={token} side={side} amount={amount} slippage={slippage} />
        ) : null}
        <Button type="submit" kind="primary" busy={deed.isPending}>
          {side === 'buy' ? `Buy ${name}` : `Sell ${name}`}
        </Button>
        {deed.error === null ? null : <ErrorPanel error={deed.error} />}
      </form>
    </Card>
  )
}

function Available({ wallet, token, side }: { wallet: Wallet; token: Token; side: Side }) {
  const assets = useAssets()
  const { data } = useAnswer('GET /portfolio/{publicKey}', {
    params: { publicKey: wallet.address },
    query: { network: token.network },
  })
  const isUnread = data?.unread?.some(({ mint }) => mint === token.mint) === true
  const held = data?.tokens.find(({ mint }) => mint === token.mint)?.balance ?? '0'
  return (
    <p className="min-h-5 text-soft">
      {data === undefined ? null : side === 'buy' ? (
        <>
          <Amount text={data.nativeBalance} unit={assets.symbol(token.network, 'native')} /> in it
        </>
      ) : isUnread ? (
        'What it has cannot be read now'
      ) : (
        <>
          <Amount text={held} unit={nameOf(token)} /> in it
        </>
      )}
    </p>
  )
}
