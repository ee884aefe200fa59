import { Refusal } from '@florin/wire/errors.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/**
 * Of a page that came out empty: that its cursor names an entry, of that account where one is given. A cursor that was cut or made up would else be told
 * as the end of the log, and whoever reads it to its end would miss the rest without a word.
 * @throws {Refusal} INVALID_PARAMETERS
 */
export async function demandCursor(
  tx: Tx,
  cursor: string,
  accountId: AccountId | string | undefined,
): Promise<void> {
  const rows = await tx.query(
    'audit_cursor',
    'select 1 from audit_log where id = $1 and ($2::text is null or account_id = $2)',
    [cursor, accountId ?? null],
  )
  if (rows.length > 0) return
  throw new Refusal('INVALID_PARAMETERS', {
    details: { cursor: 'must be the nextCursor of a page' },
  })
}
