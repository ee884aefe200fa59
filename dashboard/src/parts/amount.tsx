import { amountText } from '../format/amount-text.ts'

/**
 * An exact amount with its unit. In a column give `fractionDigits`, the most that the column shows: then the points stand under each
 * other.
 */
export function Amount({
  text,
  unit,
  fractionDigits,
}: {
  /** Exact decimal text of whole units. */
  text: string
  unit: string
  fractionDigits?: number
}) {
  const { whole, fraction } = amountText(text)
  return (
    <span className="inline-flex items-baseline font-mono text-[0.8125rem] whitespace-nowrap tabular-nums">
      <span>{whole}</span>
      <span
        className="text-left max-sm:min-w-0!"
        style={{ minWidth: fractionDigits ? `${fractionDigits + 1}ch` : 0 }}
      >
        {fraction === '' ? '' : `.${fraction}`}
      </span>
      {unit === '' && fractionDigits === undefined ? null : (
        <span
          className="ml-1.5 text-left font-sans text-soft max-sm:min-w-0!"
          style={{ minWidth: fractionDigits === undefined ? 0 : '2.5rem' }}
        >
          {unit}
        </span>
      )}
    </span>
  )
}
