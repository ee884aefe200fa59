import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import type uPlot from 'uplot'
import { onThemeChange } from './palette.ts'

/**
 * A place in the page that holds a plot as wide as the place, drawn anew when the page changes between light and dark, and when `draw`
 * is another function: keep it by what is drawn.
 */
export function usePlot(
  heightPixels: number,
  draw: (element: HTMLElement) => uPlot,
): {
  readonly ref: RefObject<HTMLDivElement | null>
  /** The plot that is there now; null before the first. */
  readonly plot: RefObject<uPlot | null>
} {
  const ref = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot>(null)
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    let plot = draw(element)
    drawn.current = plot
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: heightPixels }),
    )
    resized.observe(element)
    const stopWatching = onThemeChange(() => {
      plot.destroy()
      plot = draw(element)
      drawn.current = plot
    })
    return () => {
      resized.disconnect()
      stopWatching()
      drawn.current = null
      plot.destroy()
    }
  }, [heightPixels, draw])
  return { ref, plot: drawn }
}
