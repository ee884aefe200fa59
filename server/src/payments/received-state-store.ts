import type { PaymentId } from '../kernel/id.ts'
import {
  followedHashOf,
  followedHeightOf,
  placesOfPayment,
  placesView,
} from '../sender/standing-sql.ts'
import type { PaymentPlaces, PlacesRow } from '../sender/standing-sql.ts'
import type { Store, Tx } from '../store/postgres.ts'
import type { Payment } from './payment.ts'
import { blockOf } from './received-place-store.ts'
import type { ReceivedPlace } from './received-place-store.ts'
import type { AskedPayment } from './status-store.ts'
import { PAYMENT_COLUMNS, paymentOf } from './store.ts'
import type { PaymentRow } from './store.ts'

/** A received payment with all that says where it stands, as of one moment. */
export interface ReceivedStanding {
  readonly payment: Payment
  readonly places: PaymentPlaces
  readonly place: Pick<ReceivedPlace, 'block' | 'blockHash'>
  /** How far its network has been read; null before the first block. */
  readonly followedHeight: bigint | null
}

type Row = PaymentRow &
  PlacesRow & {
    readonly block_hash: string | null
    readonly followed_hash: string | null
    readonly followed_height: string | null
  }

/** In the order of what was asked, one statement for any number; undefined where the account has no such payment. */
export async function receivedStandings(
  from: Pick<Store | Tx, 'query'>,
  asked: readonly AskedPayment[],
): Promise<readonly (ReceivedStanding | undefined)[]> {
  const rows = await from.query<Row>(
    'payment_received_standings',
    `select ${PAYMENT_COLUMNS}, block_hash,
       (${followedHashOf('p.network', 'p.block_height')}) as followed_hash,
       (${followedHeightOf('p.network')}) as followed_height, places.*
     from unnest($1::text[], $2::text[]) as asked (asked_account, asked_id)
     join payments p on p.id = asked_id and p.account_id = asked_account
     cross join lateral (${placesOfPayment('p.id')}) as places`,
    [asked.map(({ accountId }) => accountId), asked.map(({ paymentId }) => paymentId)],
  )
  const found = new Map<PaymentId, ReceivedStanding>(
    rows.map((row) => [
      row.id,
      {
        payment: paymentOf(row),
        places: placesView(row),
        place: { blockHash: row.block_hash, block: blockOf(row.block_hash, row.followed_hash) },
        followedHeight: row.followed_height === null ? null : BigInt(row.followed_height),
      },
    ]),
  )
  // Somebody else's payment may be among them, asked for by its owner at the same moment.
  return asked.map(({ accountId, paymentId }) => {
    const standing = found.get(paymentId)
    return standing?.payment.accountId === accountId ? standing : undefined
  })
}
