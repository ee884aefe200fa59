import { useLayoutEffect, useRef } from 'react'
import type { RefObject } from 'react'

const STOPS = 'a[href], button:not(:disabled)'

interface Place {
  readonly key: string
  readonly row: number
  readonly cell: number
  /** Which of the cell's own. */
  readonly stop: number
}

/**
 * For rows that can be taken away, by what is pressed in them: whoever had the focus in a row that is gone goes on at the same place of the
 * row that stands there now, of the last one if it was the last, and at the page's heading where no row is left.
 */
export function useKeptFocus(keys: readonly string[]): RefObject<HTMLTableSectionElement | null> {
  const ref = useRef<HTMLTableSectionElement>(null)
  const place = useRef<Place>(null)
  const shown = useRef(keys)
  useLayoutEffect(() => {
    shown.current = keys
    if (place.current === null) return
    const { key, row, cell, stop } = place.current
    const now = keys.indexOf(key)
    place.current = now === -1 ? null : { key, row: now, cell, stop }
    if (now !== -1 || document.activeElement !== document.body) return
    const next = ref.current?.children[Math.min(row, keys.length - 1)]
    const same = next?.children[cell]?.querySelectorAll<HTMLElement>(STOPS)[stop]
    const any = same ?? next?.querySelector<HTMLElement>(STOPS)
    if (any) any.focus()
    else focusHeading()
  })
  useLayoutEffect(() => {
    const body = ref.current
    // Heard from the document, for React tells nothing of the focus that a dialog gives back while it goes.
    const follow = ({ target }: Event) => {
      place.current = target instanceof Element ? placeOf(target, body, shown.current) : null
    }
    const forget = () => (place.current = null)
    document.addEventListener('focusin', follow)
    document.addEventListener('pointerdown', forget)
    return () => {
      document.removeEventListener('focusin', follow)
      document.removeEventListener('pointerdown', forget)
      const { activeElement } = document
      // A button that is disabled while its deed is done has lost the focus already.
      const isLost = place.current !== null && activeElement === document.body
      if (isLost || body?.contains(activeElement) === true) focusHeading()
    }
  }, [])
  return ref
}

function placeOf(target: Element, body: Element | null, keys: readonly string[]): Place | null {
  const [tr, td] = [target.closest('tr'), target.closest('td')]
  if (body === null || tr === null || td === null || tr.parentElement !== body) return null
  const row = [...body.children].indexOf(tr)
  const key = keys[row]
  const stop = [...td.querySelectorAll(STOPS)].indexOf(target)
  return key === undefined ? null : { key, row, cell: td.cellIndex, stop }
}

function focusHeading(): void {
  document.querySelector<HTMLElement>('#page h1')?.focus({ preventScroll: true })
}
