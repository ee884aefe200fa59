/** Bytes as a node wants them: 0x and two lower-case digits each. */
export function hexBytes(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

/** An integer as a node wants it: 0x and no leading zeros. */
export function hexQuantity(value: bigint): string {
  return `0x${value.toString(16)}`
}
