import { useEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** Whether what an element holds is wider than the element, so that it is scrolled sideways. */
export function useOverflow(): {
  readonly ref: RefObject<HTMLDivElement | null>
  readonly isOver: boolean
} {
  const ref = useRef<HTMLDivElement>(null)
  const [isOver, setOver] = useState(false)
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    const resized = new ResizeObserver(() => setOver(element.scrollWidth > element.clientWidth))
    for (const each of [element, ...element.children]) resized.observe(each)
    return () => resized.disconnect()
  }, [])
  return { ref, isOver }
}
