import { parseId } from '../kernel/id.ts'
import type { PaymentId } from '../kernel/id.ts'

/** Where a page ends: the place of its last payment in the order of a history, which never changes. */
export interface Position {
  /** When the payment was made: Unix microseconds, as exact as the database has it. */
  readonly atMicroseconds: bigint
  readonly paymentId: PaymentId
}

/** Microseconds of the year 2255: every value below is exact where PostgreSQL multiplies an interval. */
const MICROSECONDS_MAX = BigInt(Number.MAX_SAFE_INTEGER)
const CURSOR = /^(0|[1-9][0-9]{0,15})\.(pay_\w+)$/

/** A position as callers carry it: opaque, and no secret. */
export function writeCursor({ atMicroseconds, paymentId }: Position): string {
  return Buffer.from(`${atMicroseconds}.${paymentId}`, 'latin1').toString('base64url')
}

/** Reads what `writeCursor` wrote, and nothing else. */
export function readCursor(text: string): Position | undefined {
  const [, at = '', id = ''] = CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const paymentId = parseId('pay', id)
  if (paymentId === undefined) return undefined
  const position = { atMicroseconds: BigInt(at), paymentId }
  if (position.atMicroseconds > MICROSECONDS_MAX || writeCursor(position) !== text) return undefined
  return position
}
