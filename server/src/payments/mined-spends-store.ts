import type { NetworkId } from '@florin/wire/network.ts'
import type { Wallet } from '../custody/wallet.ts'
import { unclosedPlaces } from '../sender/standing-sql.ts'
import type { Tx } from '../store/postgres.ts'

/** What mined payments of a wallet did on chain, by height and asset: base units. */
export interface MinedSpend {
  readonly height: bigint
  readonly asset: string
  readonly amount: bigint
  readonly feeCeiling: bigint
  readonly feePaid: bigint
  /** Final: the ledger has it as spent already. Otherwise the ledger still holds its money. */
  readonly posted: boolean
}

/** The height of what no block has: above every one. */
const IN_NO_BLOCK = 2n ** 63n - 1n

/**
 * A wallet's payments that are mined and not final, and the final ones above a height. Those whose final block was replaced count as final where they
 * are now: what the chain shows until they are in again is theirs.
 */
export async function minedSpends(
  tx: Tx,
  { id, address }: Pick<Wallet, 'id' | 'address'>,
  network: NetworkId,
  postedAboveHeight: bigint,
): Promise<readonly MinedSpend[]> {
  const rows = await tx.query<{
    block_height: string
    asset: string
    amount: string
    fee_ceiling: string
    fee_paid: string
    posted: boolean
  }>(
    'payments_mined_spends',
    `select block_height, asset, status <> 'confirmed' as posted,
       coalesce(sum(amount) filter (where status <> 'failed'), 0) as amount,
       sum(fee_ceiling) as fee_ceiling, sum(fee_paid) as fee_paid
     from payments
     where wallet_id = $1 and network = $2 and type = 'sent' and block_height is not null
       and (status = 'confirmed' or block_height > $3)
     group by block_height, asset, posted
     union all
     -- Places that were final stand below all others: where the first carries nothing that is settled, no more is read.
     select coalesce(place.mined_height, $5), p.asset, true, sum(p.amount), sum(p.fee_ceiling), sum(p.fee_paid)
     from (${unclosedPlaces('$2', '$4')}) place join payments p on p.id = place.payment_id
     where p.wallet_id = $1 and p.type = 'sent' and p.status = 'settled' and 'settled' = (
       select status from payments where id = (
         select place.payment_id from (${unclosedPlaces('$2', '$4')}) place order by place.nonce limit 1))
     group by 1, 2`,
    [id, network, postedAboveHeight.toString(), address, IN_NO_BLOCK.toString()],
  )
  return rows.map((row) => ({
    height: BigInt(row.block_height),
    asset: row.asset,
    amount: BigInt(row.amount),
    feeCeiling: BigInt(row.fee_ceiling),
    feePaid: BigInt(row.fee_paid),
    posted: row.posted,
  }))
}
