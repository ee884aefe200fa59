import type { ReactNode } from 'react'
import type { Answer } from '../api/operation.ts'
import { useAssets } from '../api/use-assets.ts'
import type { Assets } from '../api/use-assets.ts'
import { shortText } from '../format/short-text.ts'
import { Icon } from '../parts/icon.tsx'
import { PageLink } from '../parts/page-link.tsx'
import { Time } from '../parts/time.tsx'
import { NetworkName } from './network-name.tsx'

type Attention = Answer<'GET /overview'>['attention'][number]

const WITHIN = { perHour: 'the hour', perDay: 'the day', perMonth: 'the month' } as const

function keyOf(item: Attention): string {
  switch (item.kind) {
    case 'network_failing':
      return `${item.kind} ${item.network}`
    case 'payments_pending':
      return item.kind
    case 'webhook_paused':
      return `${item.kind} ${item.webhookId}`
    case 'wallet_low':
      return `${item.kind} ${item.address} ${item.network}`
    case 'budget_low':
      return `${item.kind} ${item.address} ${item.network} ${item.asset} ${item.rule}`
    default:
      return item satisfies never
  }
}

/** What it is, in a sentence, and the page where something can be done. */
function sentence(item: Attention, assets: Assets): ReactNode {
  switch (item.kind) {
    case 'network_failing':
      return (
        <>
          <NetworkName id={item.network} />{' '}
          {item.reason === 'halted'
            ? 'was stopped until an operator has looked.'
            : 'is not followed: no node answers.'}
        </>
      )
    case 'payments_pending':
      return (
        <>
          {item.count === 1 ? 'One payment waits' : `${item.count} payments wait`} for longer than a
          minute, the oldest since <Time at={item.since} />.{' '}
          <PageLink to={`/payments/${item.paymentId}`}>See the oldest</PageLink>
        </>
      )
    case 'webhook_paused':
      return (
        <>
          The webhook <span className="break-all">{item.url}</span> was paused{' '}
          <Time at={item.since} />
          {item.reason === 'gone' ? ': it answered that it is gone.' : ': it kept failing.'}{' '}
          <PageLink to={`/webhooks/${item.webhookId}`}>See the webhook</PageLink>
        </>
      )
    case 'wallet_low':
      return (
        <>
          Wallet <span className="font-mono text-[0.8125rem]">{shortText(item.address)}</span> has{' '}
          {item.available} {assets.symbol(item.network, item.asset)} left for fees.{' '}
          <PageLink to={`/wallets/${item.address}`}>See the wallet</PageLink>
        </>
      )
    case 'budget_low':
      return (
        <>
          Wallet <span className="font-mono text-[0.8125rem]">{shortText(item.address)}</span> may
          spend {item.left} of {item.allowed} {assets.symbol(item.network, item.asset)} more within{' '}
          {WITHIN[item.rule]}. <PageLink to={`/wallets/${item.address}`}>See the wallet</PageLink>
        </>
      )
    default:
      return item satisfies never
  }
}

/** What a person should look at, the most urgent first; nothing when all is well. */
export function AttentionList({ attention }: { attention: readonly Attention[] }) {
  const assets = useAssets()
  if (attention.length === 0) return null
  return (
    <section
      aria-labelledby="attention"
      className="rounded-lg border border-warn bg-warn-ground px-4 py-3"
    >
      <h2 id="attention" className="flex items-center gap-2 font-semibold text-warn">
        <Icon name="alert" />
        Needs attention
      </h2>
      <ul className="mt-1 list-disc space-y-1 pl-7">
        {attention.map((item) => (
          <li key={keyOf(item)}>{sentence(item, assets)}</li>
        ))}
      </ul>
    </section>
  )
}
