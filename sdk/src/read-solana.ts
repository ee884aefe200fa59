const VERSION_0 = 0x80
const KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const TRANSACTION_BYTES_MAX = 1_232

/** An instruction, its accounts looked up. */
export interface SolanaInstruction {
  readonly program: Uint8Array
  readonly accounts: readonly Uint8Array[]
  readonly data: Uint8Array
}

export interface SolanaBytes {
  /** Pays the fee, and signs first. */
  readonly payer: Uint8Array
  /** The signatures of the others, one behind the other; empty where the payer signs alone. */
  readonly others: Uint8Array
  readonly message: Uint8Array
  readonly instructions: readonly SolanaInstruction[]
}

/**
 * Reads a transaction of version 0 with so many signers and without lookup tables, to the last byte; undefined for anything else. Source:
 * docs.anza.xyz, "Versioned Transactions".
 */
export function readSolana(bytes: Uint8Array, signers = 1): SolanaBytes | undefined {
  if (bytes.length > TRANSACTION_BYTES_MAX || bytes[0] !== signers) return undefined
  try {
    const end = 1 + signers * SIGNATURE_BYTES
    const others = bytes.slice(1 + SIGNATURE_BYTES, end)
    return { ...messageFrom(bytes.slice(end), signers), others }
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}

class Malformed extends Error {
  override readonly name = 'Malformed'
}

function messageFrom(message: Uint8Array, wanted: number): Omit<SolanaBytes, 'others'> {
  const { take, byte, length, isOver } = readerOf(message)
  const [version, signers, readonlySigners, readonlyOthers] = [byte(), byte(), byte(), byte()]
  const keys = Array.from({ length: length() }, () => take(KEY_BYTES))
  const [payer] = keys
  if (version !== VERSION_0 || signers !== wanted || readonlySigners >= wanted)
    throw new Malformed()
  if (payer === undefined || readonlyOthers > keys.length - wanted) throw new Malformed()
  if (new Set(keys.map(String)).size !== keys.length) throw new Malformed()
  const key = (index: number): Uint8Array => {
    const found = keys[index]
    if (found === undefined) throw new Malformed()
    return found
  }
  // The recent blockhash: it ends the transaction's life, and moves nothing.
  take(KEY_BYTES)
  const instructions = Array.from({ length: length() }, () => ({
    program: key(byte()),
    accounts: Array.from(take(length()), key),
    data: take(length()),
  }))
  if (length() !== 0 || !isOver()) throw new Malformed()
  return { payer, message, instructions }
}

function readerOf(bytes: Uint8Array) {
  let at = 0
  const take = (count: number): Uint8Array => {
    if (at + count > bytes.length) throw new Malformed()
    at += count
    return bytes.slice(at - count, at)
  }
  const byte = (): number => take(1)[0] ?? 0
  return {
    take,
    byte,
    isOver: () => at === bytes.length,
    /** Seven bits per byte, low bits first, in its shortest form. */
    length: (): number => {
      const low = byte()
      if (low <= 0x7f) return low
      const high = byte()
      const value = (low & 0x7f) | (high << 7)
      if (high === 0 || value > TRANSACTION_BYTES_MAX) throw new Malformed()
      return value
    },
  }
}
