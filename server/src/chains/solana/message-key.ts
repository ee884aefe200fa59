import { createHash } from 'node:crypto'
import { proofKey } from '../exact.ts'
import type { ProofKey } from '../exact.ts'
import { fieldsFrom, listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'
import { addressBytes } from './account.ts'
import { addressFrom, blockhashFrom, indexFrom, textFrom } from './answer.ts'
import { decodeBase58, readBase58 } from './base58.ts'
import { compactLength } from './message.ts'

const BLOCKHASH_BYTES = 32
/** No transaction is longer. */
const DATA_BYTES_MAX = 1_232
/** First byte of a message of version 0. */
const VERSION_0 = 0x80

/** What makes a payment one and the same: the bytes that its signers signed. */
export function messageKey(message: Uint8Array): ProofKey {
  return proofKey(`message:${createHash('sha256').update(message).digest('hex')}`)
}

/**
 * The same of a transaction of version 0 without lookup tables, as nodes tell it in JSON; null for every other. Throws NodeFailure where the version is not told. Source: docs.anza.xyz,
 * "Versioned Transactions".
 */
export function messageKeyIn(version: unknown, message: Fields): ProofKey | null {
  const tables = listFrom(message['addressTableLookups'] ?? [], 'lookup tables')
  if (version !== 'legacy') indexFrom(version, "transaction's version")
  if (version !== 0 || tables.length > 0) return null
  const header = fieldsFrom(message['header'], "message's header")
  const keys = listFrom(message['accountKeys'], 'account keys')
  const blockhash = blockhashFrom(message['recentBlockhash'], 'blockhash')
  const instructions = listFrom(message['instructions'], 'instructions')
  return messageKey(
    Buffer.concat([
      Uint8Array.of(
        VERSION_0,
        indexFrom(header['numRequiredSignatures'], 'signers'),
        indexFrom(header['numReadonlySignedAccounts'], 'read-only signers'),
        indexFrom(header['numReadonlyUnsignedAccounts'], 'read-only accounts'),
      ),
      compactLength(keys.length),
      ...keys.map((each) => addressBytes(addressFrom(each, 'account key'))),
      decodeBase58(blockhash, BLOCKHASH_BYTES) ?? new Uint8Array(),
      compactLength(instructions.length),
      ...instructions.map(instructionBytes),
      compactLength(0),
    ]),
  )
}

function instructionBytes(value: unknown): Uint8Array {
  const fields = fieldsFrom(value, 'instruction')
  const accounts = listFrom(fields['accounts'], 'instruction accounts')
  const text = textFrom(fields['data'], 'instruction data')
  const data = readBase58(text, DATA_BYTES_MAX)
  if (data === undefined) throw malformed('instruction data', text)
  return Buffer.concat([
    Uint8Array.of(indexFrom(fields['programIdIndex'], 'program')),
    compactLength(accounts.length),
    Uint8Array.from(accounts, (each) => indexFrom(each, 'account index')),
    compactLength(data.length),
    data,
  ])
}
