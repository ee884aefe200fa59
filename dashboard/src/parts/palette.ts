/** A colour of the palette as the page shows it now. */
export function colour(name: string, element: HTMLElement): string {
  const probe = document.createElement('span')
  probe.style.color = `var(--color-${name})`
  element.append(probe)
  const found = getComputedStyle(probe).color
  probe.remove()
  return found
}

/** Calls back when the page turns light or dark. Gives the way to end it. */
export function onThemeChange(draw: () => void): () => void {
  const themed = new MutationObserver(draw)
  themed.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  const system = matchMedia('(prefers-color-scheme: dark)')
  system.addEventListener('change', draw)
  return () => {
    themed.disconnect()
    system.removeEventListener('change', draw)
  }
}
