import { useId, useState } from 'react'
import type { ReactNode } from 'react'
import type { Filters } from '../app/use-filters.ts'
import { Button } from './button.tsx'

export interface FilterFold {
  readonly id: string
  readonly isOpen: boolean
  toggle(): void
}

/** Lists whose filters are open; as long as the window lives, so that they are found as they were left. */
const open = new Set<string>()

/** Whether the filters of a list are in sight on a narrow screen, where they would take half of it. Wide ones show them always. */
export function useFilterFold(list: string): FilterFold {
  const id = useId()
  const [isOpen, setOpen] = useState(open.has(list))
  const toggle = () => {
    if (isOpen) open.delete(list)
    else open.add(list)
    setOpen(!isOpen)
  }
  return { id, isOpen, toggle }
}

/** Opens and closes them, and says how many are set. Only a narrow screen has it. */
export function FilterButton({ fold, count }: { fold: FilterFold; count: number }) {
  return (
    <Button
      id={`${fold.id}-button`}
      icon="settings"
      className="sm:hidden"
      aria-expanded={fold.isOpen}
      aria-controls={fold.id}
      onClick={fold.toggle}
    >
      {count === 0 ? 'Filters' : `Filters (${count} set)`}
    </Button>
  )
}

/** The filters themselves. */
export function FoldedFilters({ fold, children }: { fold: FilterFold; children: ReactNode }) {
  return (
    <div id={fold.id} className={fold.isOpen ? '' : 'max-sm:hidden'}>
      {children}
    </div>
  )
}

/** Takes all of them away, and itself: the focus goes to their button, or to the heading of a wide screen, which has none. */
export function ClearFiltersButton({
  fold,
  filters,
}: {
  fold: FilterFold
  filters: Pick<Filters, 'clear' | 'isEmpty'>
}) {
  if (filters.isEmpty) return null
  const clear = () => {
    filters.clear()
    const button = document.getElementById(`${fold.id}-button`)
    const isShown = button?.checkVisibility() ?? false
    const next = isShown ? button : document.querySelector<HTMLElement>('#page h1')
    next?.focus({ preventScroll: true })
  }
  return (
    <Button kind="quiet" onClick={clear}>
      Clear filters
    </Button>
  )
}
