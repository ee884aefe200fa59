/** Bytes as 0x and lower-case hex. */
export function toHex(bytes: Uint8Array): `0x${string}` {
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

/** Reads 0x and hex; undefined when it is none. */
export function fromHex(text: string): Uint8Array | undefined {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(text)) return undefined
  return Uint8Array.from({ length: text.length / 2 - 1 }, (_, index) =>
    Number.parseInt(text.slice(index * 2 + 2, index * 2 + 4), 16),
  )
}
