/** One of a few short choices, all in sight. */
export function Segments<Value extends string>({
  label,
  choices,
  chosen,
  onChoose,
}: {
  label: string
  choices: readonly { readonly value: Value; readonly label: string }[]
  chosen: Value
  onChoose: (value: Value) => void
}) {
  return (
    <div
      role="group"
      aria-label={label}
      className="inline-flex flex-wrap rounded-md border border-line bg-surface p-0.5"
    >
      {choices.map(({ value, label: text }) => (
        <button
          key={value}
          type="button"
          aria-pressed={value === chosen}
          onClick={() => onChoose(value)}
          className="min-h-8 rounded px-3 font-medium text-soft hover:text-ink aria-pressed:bg-brand-ground aria-pressed:text-brand-strong"
        >
          {text}
        </button>
      ))}
    </div>
  )
}
