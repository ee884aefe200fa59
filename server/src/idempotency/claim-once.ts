import { Refusal } from '@florin/wire/errors.ts'
import { fingerprint } from './fingerprint.ts'
import { claimKeys } from './store.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** A request that wants to happen once. */
export interface Intent {
  readonly accountId: AccountId
  readonly operation: string
  /** Left out by the caller: it happens as often as it is sent. */
  readonly key: string | undefined
  /** What was asked for, path and body. */
  readonly asked: object
}

/** Undefined when the transaction is the first under its key; else what the first one made. Refuses IDEMPOTENCY_MISMATCH. */
export async function claimOnce(
  tx: Tx,
  { accountId, operation, key, asked }: Intent,
  resourceId: string,
  nowMilliseconds: number,
): Promise<string | undefined> {
  if (key === undefined) return undefined
  const claim = { accountId, operation, key, fingerprint: fingerprint(asked), resourceId }
  const [result] = await claimKeys(tx, [claim], nowMilliseconds)
  switch (result?.kind) {
    case undefined:
    case 'new':
      return undefined
    case 'mismatch':
      throw new Refusal('IDEMPOTENCY_MISMATCH')
    case 'replay':
      return result.resourceId
    default:
      return result satisfies never
  }
}
