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
): RefObject<HTMLDivElement | null> {
  const ref = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = ref.current
    if (element === null) return undefined
    let plot = draw(element)
    const resized = new ResizeObserver(() =>
      plot.setSize({ width: element.clientWidth, height: heightPixels }),
    )
    resized.observe(element)
    const stopWatching = onThemeChange(() => {
      plot.destroy()
      plot = draw(element)
    })
    return () => {
      resized.disconnect()
      stopWatching()
      plot.destroy()
    }
  }, [heightPixels, draw])
  return ref
}
