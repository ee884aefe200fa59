/** Puts a text on the clipboard; false when the browser does not let it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** For pages over plain HTTP from another machine, where there is no clipboard to write to. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.readOnly = true
  area.className = 'fixed top-0 left-0 opacity-0'
  const home = document.querySelector('dialog[open]') ?? document.body
  home.append(area)
  area.select()
  const copied = document.execCommand('copy')
  area.remove()
  return copied
}
