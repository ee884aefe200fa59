const TONES = { brand: 'bg-brand', info: 'bg-info', bad: 'bg-bad' } as const

/** Parts of a whole, one after the other in a bar. What it shows stands in words beside it: the bar only helps. */
export function Meter({
  label,
  text,
  parts,
}: {
  /** Says what of; for screen readers. */
  label: string
  /** Says how much, where a percentage would not be enough. */
  text?: string
  /** Shares from 0 to 1, together 1 at most. */
  parts: readonly { readonly share: number; readonly tone: keyof typeof TONES }[]
}) {
  const whole = parts.reduce((sum, { share }) => sum + share, 0)
  return (
    <div
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(whole * 100)}
      aria-valuetext={text}
      className="flex h-2 overflow-hidden rounded-full bg-line"
    >
      {parts.map(({ share, tone }) => (
        <div key={tone} className={`h-full ${TONES[tone]}`} style={{ width: `${share * 100}%` }} />
      ))}
    </div>
  )
}
