const STORED = 'florin.theme'

export type Theme = 'light' | 'dark'

/** What the page looks like now: what the reader chose, else what the system says. */
export function currentTheme(): Theme {
  const { theme } = document.documentElement.dataset
  if (theme === 'light' || theme === 'dark') return theme
  return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
}

/** Sets it, and keeps it for the next visit where the browser lets it. public/theme.js reads it. */
export function chooseTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme
  try {
    localStorage.setItem(STORED, theme)
  } catch {
    // A browser that keeps nothing: it holds for this visit.
  }
}
