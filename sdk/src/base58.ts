const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const ADDRESS_BYTES = 32

/** The 32 bytes of a Solana address; undefined when the text is none. */
export function addressBytes(address: string): Uint8Array | undefined {
  let value = 0n
  for (const character of address) {
    const digit = ALPHABET.indexOf(character)
    if (digit === -1) return undefined
    value = value * 58n + BigInt(digit)
  }
  const digits = value.toString(16).padStart(ADDRESS_BYTES * 2, '0')
  if (address.length > 44 || digits.length > ADDRESS_BYTES * 2) return undefined
  return Uint8Array.from({ length: ADDRESS_BYTES }, (_, index) =>
    Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16),
  )
}
