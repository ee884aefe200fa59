import type { NetworkId } from '@florin/wire/network.ts'
import type { Wallet } from '../custody/wallet.ts'
import { fillingFees } from '../sender/gap-filling-store.ts'
import { unclosedPlaces } from '../sender/standing-sql.ts'
import type { Tx } from '../store/postgres.ts'

/** What mined transactions of a wallet did on chain, by height and asset: base units. */
export interface MinedSpend {
  readonly height: bigint
  readonly asset: string
  readonly amount: bigint
  readonly feeCeiling: bigint
  readonly feePaid: bigint
  /** Final: the ledger has it as spent already. Otherwise the ledger still holds its money, if it is a payment. */
  readonly posted: boolean
  /** It fills a nonce that nobody had used: the ledger holds nothing for it. One that no block has is in none that a draft could show. */
  readonly fillsGap: boolean
}

/** The height of what no block has: above every one. */
const IN_NO_BLOCK = 2n ** 63n - 1n

/**
 * A wallet's payments that are mined and not final, and the final ones above a height. Those whose final block was replaced count as final where they
 * are now: what the chain shows until they are in again is theirs. With them what fills nonces of it, also what no block has yet.
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
    fills_gap: boolean
  }>(
    'payments_mined_spends',
    `select block_height, asset, status <> 'confirmed' as posted, false as fills_gap,
       coalesce(sum(amount) filter (where status <> 'failed'), 0) as amount,
       sum(fee_ceiling) as fee_ceiling, sum(fee_paid) as fee_paid
     from payments
     where wallet_id = $1 and network = $2 and type = 'sent' and block_height is not null
       and (status = 'confirmed' or block_height > $3)
     group by block_height, asset, posted
     union all
     -- Places that were final stand below all others: where the first carries nothing that is settled, no more is read.
     select coalesce(place.mined_height, $5), p.asset, true, false, sum(p.amount), sum(p.fee_ceiling), sum(p.fee_paid)
     from (${unclosedPlaces('$2', '$4')}) place join payments p on p.id = place.payment_id
     where p.wallet_id = $1 and p.type = 'sent' and p.status = 'settled' and 'settled' = (
       select status from payments where id = (
         select place.payment_id from (${unclosedPlaces('$2', '$4')}) place order by place.nonce limit 1))
     group by 1, 2
     union all
     select coalesce(height, $5), 'native', booked, true, 0, sum(fee_ceiling), coalesce(sum(fee_paid), 0)
     from (${fillingFees('$2', '$4', '$3')}) filling group by 1, 3`,
    [id, network, postedAboveHeight.toString(), address, IN_NO_BLOCK.toString()],
  )
  return rows.map((row) => ({
    height: BigInt(row.block_height),
    asset: row.asset,
    amount: BigInt(row.amount),
    feeCeiling: BigInt(row.fee_ceiling),
    feePaid: BigInt(row.fee_paid),
    posted: row.posted,
    fillsGap: row.fills_gap,
  }))
}
