import type { ReactNode } from 'react'

export interface Fact {
  readonly name: string
  readonly value: ReactNode
}

/** Names and values, one under the other. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl className="divide-y divide-line">
      {facts.map(({ name, value }) => (
        <div key={name} className="gap-4 py-2 first:pt-0 last:pb-0 sm:flex">
          <dt className="text-soft sm:w-44 sm:shrink-0">{name}</dt>
          <dd className="min-w-0 break-words sm:grow">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
