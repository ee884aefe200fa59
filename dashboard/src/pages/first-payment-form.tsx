import { useState } from 'react'
import { faultOf } from '../api/api-error.ts'
import { openOrderKeys } from '../api/order-keys.ts'
import type { Answer } from '../api/operation.ts'
import { useAnswer } from '../api/use-answer.ts'
import { useAssets } from '../api/use-assets.ts'
import { useDeed } from '../api/use-deed.ts'
import { useSession } from '../app/session.tsx'
import { shortText } from '../format/short-text.ts'
import { Amount } from '../parts/amount.tsx'
import { Button } from '../parts/button.tsx'
import { CodeBlock } from '../parts/code-block.tsx'
import { ErrorPanel } from '../parts/error-panel.tsx'
import { Field } from '../parts/field.tsx'
import { Select } from '../parts/select.tsx'
import { Tabs } from '../parts/tabs.tsx'
import { FaucetCommands } from './faucet-commands.tsx'
import { curlCall, sdkCall } from './payment-code.ts'

type Wallet = Answer<'GET /wallets'>['wallets'][number]

const choiceOf = ({ address, label, family }: Wallet) => ({
  value: address,
  label: `${label ?? family} (${shortText(address)})`,
})

/** The order, the same as code, and the button that sends it. */
export function FirstPaymentForm({
  wallets,
  apiKey,
  onSent,
}: {
  wallets: readonly Wallet[]
  apiKey: string | null
  onSent: (paymentId: string) => void
}) {
  const { baseUrl } = useSession()
  const { networks } = useAssets()
  const [chosen, setChosen] = useState('')
  const [typed, setTyped] = useState<string | null>(null)
  const [amount, setAmount] = useState('1')
  const [symbol, setSymbol] = useState('')
  const [code, setCode] = useState('curl')
  const [keys] = useState(openOrderKeys)
  const send = useDeed('POST /payment/send', {
    refreshes: ['GET /wallets', 'GET /wallets/{address}', 'GET /overview'],
    onDone: ({ paymentId }, { body }) => {
      keys.done(body)
      onSent(paymentId)
    },
    onFailed: (error, { body }) => keys.failed(body, error),
  })

  const payer = wallets.find(({ address }) => address === chosen) ?? wallets[0]
  const other = wallets.find(({ address, family }) => {
    return family === payer?.family && address !== payer.address
  })
  const recipient = typed ?? other?.address ?? ''
  const assets = networks.find(({ family }) => family === payer?.family)?.assets ?? []
  const asset = assets.find((each) => each.symbol === symbol) ?? assets.at(-1)
  const order = {
    walletAddress: payer?.address ?? '',
    recipientAddress: recipient,
    amount,
    ...(asset === undefined || asset.asset === 'native' ? {} : { asset: asset.symbol }),
  }
  const body = { ...order, waitFor: 'submitted' as const }
  if (payer === undefined) return <p className="text-soft">It begins with a wallet.</p>
  const idempotencyKey = keys.keyOf(body)
  const sample = { baseUrl, apiKey, order, idempotencyKey }
  return (
    <div className="grid gap-6 lg:grid-cols-[minmax(0,2fr)_minmax(0,3fr)]">
      <form
        className="space-y-4"
        onSubmit={(event) => {
          event.preventDefault()
          send.mutate({ body, idempotencyKey: keys.send(body) })
        }}
      >
        <div className="space-y-1">
          <Select
            label="From"
            choices={wallets.map(choiceOf)}
            value={payer.address}
            onChoose={setChosen}
            fault={faultOf(send.error, 'walletAddress')}
          />
          <Balance address={payer.address} symbol={asset?.symbol} />
        </div>
        <Field
          label="To"
          hint="Any address of the same kind of chain; another wallet of yours to begin with."
          required
          spellCheck={false}
          className="font-mono text-[0.8125rem]"
          value={recipient}
          fault={faultOf(send.error, 'recipientAddress')}
          onChange={({ target }) => setTyped(target.value)}
        />
        <div className="grid grid-cols-2 gap-3">
          <Field
            label="Amount"
            required
            inputMode="decimal"
            value={amount}
            fault={faultOf(send.error, 'amount')}
            onChange={({ target }) => setAmount(target.value.trim())}
          />
          <Select
            label="Asset"
            choices={assets.map((each) => ({ value: each.symbol, label: each.symbol }))}
            value={asset?.symbol ?? ''}
            onChoose={setSymbol}
            fault={faultOf(send.error, 'asset')}
          />
        </div>
        <Button type="submit" kind="primary" busy={send.isPending}>
          Send payment
        </Button>
        {send.error === null ? null : <ErrorPanel error={send.error} />}
      </form>
      <div className="min-w-0">
        <Tabs
          label="The same call as code"
          chosen={code}
          onChoose={setCode}
          tabs={[
            { name: 'curl', content: <CodeBlock code={curlCall(sample)} what="curl command" /> },
            { name: 'SDK', content: <CodeBlock code={sdkCall(sample)} what="SDK code" /> },
          ]}
        />
      </div>
    </div>
  )
}

function Balance({ address, symbol }: { address: string; symbol: string | undefined }) {
  const { data } = useAnswer('GET /wallets/{address}', { params: { address } })
  const balance = data?.balances
    .flatMap((each) => [each, ...(each.alsoAs ?? [])])
    .find((each) => each.symbol === symbol)
  const isUnread = data?.unread?.some((each) => each.symbol === symbol) === true
  return (
    <>
      <p className="min-h-5 text-soft">
        {balance === undefined ? (
          isUnread ? (
            'The balance cannot be read now'
          ) : null
        ) : (
          <>
            <Amount text={balance.available} unit={balance.symbol} /> available
          </>
        )}
      </p>
      {data === undefined ? null : <FaucetCommands wallet={data} />}
    </>
  )
}
