import { hash } from 'node:crypto'
import type { Terms } from '../chain.ts'
import { hexBytes } from './hex.ts'
import { readTerms, readTermsAround, writeTermsWithout } from './terms.ts'
import type { EvmTerms } from './terms.ts'
import { readWireTransaction } from './wire-transaction.ts'

/**
 * Terms as they are stored beside the bytes that were signed with them: these hold the call data, which is most of either, so the terms
 * name it by its digest alone. For a wave of 64 settlements that is 30 KB instead of 90 KB, written while somebody waits.
 */
export function keptTerms(terms: EvmTerms): Terms {
  return writeTermsWithout(terms, digestOf(terms.call.data))
}

/**
 * The terms that were signed, from what was stored of them and the bytes. Terms of an earlier version hold their call data themselves.
 * Throws when the bytes are not those that the terms were stored with, and as `readTerms` does.
 */
export function wholeTerms(kept: Terms, raw: Uint8Array | undefined, chainId: bigint): EvmTerms {
  const { dataDigest } = kept
  if (dataDigest === undefined) return readTerms(kept, chainId)
  const signed = raw === undefined ? 'there are none' : readWireTransaction(raw)
  if (typeof signed === 'string') throw new Error(`the signed bytes do not tell: ${signed}`)
  if (digestOf(signed.data) !== dataDigest) throw new Error('the signed bytes are of other terms')
  return readTermsAround(kept, chainId, signed.data)
}

/** SHA-256 of the call data as terms write it, so that the database can tell it of terms of either kind. */
function digestOf(data: Uint8Array): string {
  return hash('sha256', hexBytes(data))
}
