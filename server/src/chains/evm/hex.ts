/** Bytes as a node wants them: 0x and two lower-case digits each. */
export function hexBytes(bytes: Uint8Array): string {
  return `0x${hexDigits(bytes)}`
}

/** The same without 0x. Reads the bytes where they are: a copy of them took longer than the digits. */
export function hexDigits(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')
}

/** An integer as a node wants it: 0x and no leading zeros. */
export function hexQuantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
