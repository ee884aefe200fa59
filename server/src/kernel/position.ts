import { parseId } from './id.ts'
import type { Id, IdPrefix } from './id.ts'

/** Where a page ends: the place of its last row in the order of a list by time and id, which never changes. */
export interface Position<Prefix extends IdPrefix> {
  /** When the row was made: Unix microseconds, as exact as the database has it. */
  readonly atMicroseconds: bigint
  readonly id: Id<Prefix>
}

/** Microseconds of the year 2255: every value below is exact where PostgreSQL multiplies an interval. */
const MICROSECONDS_MAX = BigInt(Number.MAX_SAFE_INTEGER)
const CURSOR = /^(0|[1-9][0-9]{0,15})\.(\w+)$/

/** A position as callers carry it: opaque, and no secret. */
export function writeCursor<Prefix extends IdPrefix>({
  atMicroseconds,
  id,
}: Position<Prefix>): string {
  return Buffer.from(`${atMicroseconds}.${id}`, 'latin1').toString('base64url')
}

/** Reads what `writeCursor` wrote of such an id, and nothing else. */
export function readCursor<Prefix extends IdPrefix>(
  prefix: Prefix,
  text: string,
): Position<Prefix> | undefined {
  const [, at = '', idText = ''] =
    CURSOR.exec(Buffer.from(text, 'base64url').toString('latin1')) ?? []
  const id = parseId(prefix, idText)
  if (id === undefined) return undefined
  const position = { atMicroseconds: BigInt(at), id }
  if (position.atMicroseconds > MICROSECONDS_MAX || writeCursor(position) !== text) return undefined
  return position
}
