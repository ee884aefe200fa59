import type { Family } from '@florin/wire/network.ts'
import type { Address } from '../../chains/chain.ts'
import { receiverAccounts } from '../../custody/receiver-store.ts'
import type { AccountId } from '../../kernel/id.ts'
import type { Tx } from '../../store/postgres.ts'

/** Whether one of these addresses is registered as the receiver of another account. */
export async function isOfAnother(
  tx: Pick<Tx, 'query'>,
  family: Family,
  receivers: readonly Address[],
  accountId: AccountId,
): Promise<boolean> {
  const asked = receivers.map((address) => ({ family, address }))
  const owners = await receiverAccounts(tx, asked)
  return owners.some((owner) => owner !== undefined && owner !== accountId)
}
