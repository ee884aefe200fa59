import { getCompiledTransactionMessageDecoder } from '@solana/kit'
import type { JsonObject } from '../../host/json.ts'
import type { Message } from '../chain/compiled-message.ts'
import { readWire, WIRE_BYTES_MAX, wireBytesMax } from '../chain/wire-transaction.ts'
import type { WireTransaction } from '../chain/wire-transaction.ts'
import { decodedBase58, oneOf } from './params.ts'
import { invalidParams } from './rpc-failure.ts'
import type { RpcFailure } from './rpc-failure.ts'

/** Of 1,232 bytes: Agave takes nothing longer in an encoding that it calls deprecated. */
const BASE58_CHARACTERS_MAX = 1_683
/** Of 4,096 bytes. */
const BASE64_CHARACTERS_MAX = 5_464
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
const TYPE = 'solana_transaction::versioned::VersionedTransaction'

/** Reads the transaction of sendTransaction and simulateTransaction. Base58 when nothing is said. */
export function readWireParam(text: string, config: JsonObject): WireTransaction {
  const encoding = oneOf(config['encoding'], ['base58', 'base64'], 'base58')
  const charactersMax = encoding === 'base58' ? BASE58_CHARACTERS_MAX : BASE64_CHARACTERS_MAX
  if (text.length > charactersMax) {
    throw invalidParams(
      `${encoding} encoded ${TYPE} too large: ${text.length} bytes (max: encoded/raw ${charactersMax}/${WIRE_BYTES_MAX})`,
    )
  }
  const bytes = encoding === 'base58' ? decodedBase58(text) : decodedBase64(text)
  if (bytes === undefined) throw invalidParams(`invalid ${encoding} encoding`)
  if (bytes.length > WIRE_BYTES_MAX) throw tooLarge(bytes.length, WIRE_BYTES_MAX)
  const wire = readWire(bytes)
  if (wire === undefined) {
    throw invalidParams(`failed to deserialize ${TYPE}: failed to fill whole buffer`)
  }
  const max = wireBytesMax(wire.message)
  if (bytes.length > max) throw tooLarge(bytes.length, max)
  return wire
}

function tooLarge(bytes: number, max: number): RpcFailure {
  return invalidParams(`decoded ${TYPE} too large: ${bytes} bytes (max: ${max} bytes)`)
}

/** Reads a message in base64, without signatures. */
export function readMessage(text: string): Message {
  const bytes = decodedBase64(text)
  if (bytes === undefined) throw invalidParams('invalid base64 encoding')
  try {
    return getCompiledTransactionMessageDecoder().decode(bytes)
  } catch {
    throw invalidParams('failed to deserialize solana_message::VersionedMessage')
  }
}

function decodedBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !BASE64.test(text)) return undefined
  return Uint8Array.from(Buffer.from(text, 'base64'))
}
