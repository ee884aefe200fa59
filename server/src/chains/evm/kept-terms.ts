import { hash } from 'node:crypto'
import type { Terms } from '../chain.ts'
import { hexBytes } from './hex.ts'
import { readWireTransaction } from './wire-transaction.ts'

/**
 * Terms as they are stored beside the bytes that were signed with them: these hold the call data, which is most of either, so the terms name
 * it by its digest alone. For 64 settlements in a transaction that is 20 KB instead of 60 KB, written while somebody waits.
 */
export function keptTerms(terms: Terms): Terms {
  const { data, ...others } = terms
  if (data === undefined) return terms
  const fields: Readonly<Record<string, string>> = { ...others, dataDigest: digestOf(data) }
  return fields as Terms
}

/**
 * The terms that were signed, from what was stored of them and the bytes. Terms of an earlier version hold their call data themselves.
 * Throws when the bytes are not those that the terms were stored with.
 */
export function wholeTerms(kept: Terms, raw: Uint8Array | undefined): Terms {
  const { dataDigest, ...others } = kept
  if (dataDigest === undefined) return kept
  const signed = raw === undefined ? 'there are none' : readWireTransaction(raw)
  if (typeof signed === 'string') throw new Error(`the signed bytes do not tell: ${signed}`)
  const data = hexBytes(signed.data)
  if (digestOf(data) !== dataDigest) throw new Error('the signed bytes are of other terms')
  const fields: Readonly<Record<string, string>> = { ...others, data }
  return fields as Terms
}

/** SHA-256 of the call data as terms write it, so that the database can tell it of terms of either kind. */
function digestOf(data: string): string {
  return hash('sha256', data)
}
