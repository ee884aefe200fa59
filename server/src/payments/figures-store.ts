import type { Tx } from '../store/postgres.ts'

/** How many payments of a network and type have a status. */
export interface PaymentFigures {
  readonly network: string
  readonly type: string
  readonly status: string
  readonly count: number
}

/** Adds up the tallies that the database keeps with every change of a payment: the same cost however many there are. */
export async function paymentFigures(tx: Tx): Promise<readonly PaymentFigures[]> {
  const rows = await tx.query<{ network: string; type: string; status: string; count: string }>(
    'figures_payments',
    `select network, type, status, sum(count) as count from payment_tallies
     group by network, type, status`,
  )
  return rows.map((row) => ({ ...row, count: Number(row.count) }))
}
