import { useId } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'

export interface Tab {
  readonly name: string
  readonly content: ReactNode
}

const STEPS: Readonly<Record<string, number>> = { ArrowRight: 1, ArrowLeft: -1 }

/** Views of one thing, one at a time. Arrow keys go from tab to tab. */
export function Tabs({
  label,
  tabs,
  chosen,
  onChoose,
}: {
  label: string
  tabs: readonly Tab[]
  /** Name of the tab that is shown. */
  chosen: string
  onChoose: (name: string) => void
}) {
  const id = useId()
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = STEPS[event.key]
    if (step === undefined) return
    event.preventDefault()
    const at = tabs.findIndex(({ name }) => name === chosen)
    const next = (at + step + tabs.length) % tabs.length
    onChoose(tabs[next]?.name ?? chosen)
    event.currentTarget.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
  }
  const shown = tabs.find(({ name }) => name === chosen) ?? tabs[0]
  return (
    <div>
      <div
        role="tablist"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={onKeyDown}
        className="flex gap-1 overflow-x-auto border-b border-line"
      >
        {tabs.map(({ name }, index) => {
          const isShown = name === shown?.name
          return (
            <button
              key={name}
              type="button"
              role="tab"
              id={`${id}-tab-${index}`}
              aria-selected={isShown}
              aria-controls={`${id}-panel`}
              tabIndex={isShown ? 0 : -1}
              onClick={() => onChoose(name)}
              className={`-mb-px border-b-2 px-3 py-2 font-medium max-sm:px-2 whitespace-nowrap ${isShown ? 'border-brand text-ink' : 'border-transparent text-soft hover:text-ink'}`}
            >
              {name}
            </button>
          )
        })}
      </div>
      <div
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${tabs.findIndex(({ name }) => name === shown?.name)}`}
        className="pt-4"
      >
        {shown?.content}
      </div>
    </div>
  )
}
