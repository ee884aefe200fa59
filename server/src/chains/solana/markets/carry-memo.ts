import { addressBytes } from '../account.ts'
import { compactLength } from '../message.ts'
import { MEMO_PROGRAM } from '../programs.ts'
import { NO_SIGNATURE, withSignature } from '../sign.ts'
import { readWireTransaction } from '../wire-transaction.ts'

const VERSION_0 = 0x80
const KEYS_AT = 4
const WORD_BYTES = 32
/** A count below takes one byte. */
const COUNT_MAX = 127
const TRANSACTION_BYTES_MAX = 1_232

/**
 * A transaction of the old form that one wallet alone signs, as one of version 0 with a memo at its end and its signature open. Nothing
 * else of it changes: both forms count accounts alike, and a read-only account more stands last. Undefined when it is another kind of
 * transaction, or too long then. Source: docs.anza.xyz, "Versioned Transactions".
 */
export function carryMemo(transaction: Uint8Array, memo: string): Uint8Array | undefined {
  const read = readWireTransaction(transaction)
  if (read === undefined || read.signers.length !== 1) return undefined
  const message = Buffer.from(read.message)
  const [first = VERSION_0, signedOnly = 0, readOnly = 0, keys = 0] = message
  if ((first & VERSION_0) !== 0 || keys >= COUNT_MAX || readOnly >= COUNT_MAX) return undefined
  const hashAt = KEYS_AT + keys * WORD_BYTES
  const countAt = hashAt + WORD_BYTES
  const count = message[countAt] ?? COUNT_MAX
  const own = addressBytes(MEMO_PROGRAM)
  if (count >= COUNT_MAX || message.subarray(0, hashAt).includes(own)) return undefined
  const text = Buffer.from(memo, 'utf8')
  const changed = Buffer.concat([
    Uint8Array.of(VERSION_0, first, signedOnly, readOnly + 1, keys + 1),
    message.subarray(KEYS_AT, hashAt),
    own,
    message.subarray(hashAt, countAt),
    Uint8Array.of(count + 1),
    message.subarray(countAt + 1),
    Uint8Array.of(keys, 0),
    compactLength(text.length),
    text,
    // No lookup tables.
    Uint8Array.of(0),
  ])
  const isTooLong = 1 + NO_SIGNATURE.length + changed.length > TRANSACTION_BYTES_MAX
  return isTooLong ? undefined : withSignature(NO_SIGNATURE, new Uint8Array(changed))
}
