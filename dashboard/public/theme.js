// Before the first paint: what the reader chose, if anything. Without it the system decides.
try {
  const theme = localStorage.getItem('florin.theme')
  if (theme === 'dark' || theme === 'light') document.documentElement.dataset.theme = theme
} catch {
  // A browser that keeps nothing: the system decides.
}
