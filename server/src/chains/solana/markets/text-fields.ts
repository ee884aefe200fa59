const LENGTH_BYTES = 4
const CHARACTERS_MAX = 100

/**
 * The first texts of data in which each has its length before it; undefined when they are cut off or are no text. What a stranger wrote:
 * padding and what cannot be printed is taken out, the rest is cut. An empty one is null.
 */
export function textFields(data: Buffer, count: number): readonly (string | null)[] | undefined {
  const texts: (string | null)[] = []
  let at = 0
  while (texts.length < count) {
    if (at + LENGTH_BYTES > data.length) return undefined
    const start = at + LENGTH_BYTES
    const end = start + data.readUInt32LE(at)
    if (end > data.length) return undefined
    const text = printable(data.subarray(start, end))
    if (text === undefined) return undefined
    texts.push(text === '' ? null : text)
    at = end
  }
  return texts
}

function printable(bytes: Buffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    const shown = text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '').trim()
    return [...shown].slice(0, CHARACTERS_MAX).join('')
  } catch {
    return undefined
  }
}
