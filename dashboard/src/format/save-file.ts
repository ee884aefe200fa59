const KEPT_MILLISECONDS = 60_000

/** Hands a text to the browser as a file to save. */
export function saveFile({
  name,
  type,
  text,
}: {
  readonly name: string
  readonly type: string
  readonly text: string
}): void {
  const address = URL.createObjectURL(new Blob([text], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MILLISECONDS)
}
