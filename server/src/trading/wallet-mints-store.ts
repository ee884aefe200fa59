import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { AccountId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** The tokens that an account traded last from a wallet. */
export async function mintsTradedFrom(
  tx: Tx,
  {
    accountId,
    network,
    walletAddress,
    count,
  }: {
    readonly accountId: AccountId
    readonly network: NetworkId
    readonly walletAddress: Address
    readonly count: number
  },
): Promise<readonly Address[]> {
  const rows = await tx.query<{ mint: Address }>(
    'trades_mints_of_wallet',
    `select mint from trades where account_id = $1 and wallet_address = $2 and network = $3
     group by mint order by max(created_at) desc limit $4`,
    [accountId, walletAddress, network, count],
  )
  return rows.map(({ mint }) => mint)
}
