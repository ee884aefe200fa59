import { listFrom, malformed } from '../json-rpc/answer.ts'
import type { Fields } from '../json-rpc/answer.ts'

/** A filter that says nothing: of a receipt without logs, or of a chain that does not fill it. */
const SILENT = /^0x(?:0*|f*)$/i

/**
 * The logs of a receipt. Throws NodeFailure where it shows none though its filter holds some: a node that keeps no logs must not make
 * a payment look like one that came to nothing. Source: Yellow Paper, 4.4.1.
 */
export function receiptLogs(receipt: Fields): readonly unknown[] {
  const logs = listFrom(receipt['logs'], 'receipt logs')
  const { logsBloom } = receipt
  const isWhole = logs.length > 0 || typeof logsBloom !== 'string' || SILENT.test(logsBloom)
  if (!isWhole) throw malformed('receipt logs', 'none, though its filter holds some')
  return logs
}
