import type { NetworkId } from '@florin/wire/network.ts'
import type { Tx } from '../store/postgres.ts'

/** Reserves gas of a day for a subject. False, and nothing reserved, when that would pass the limit. */
export async function reserveGas(
  tx: Tx,
  {
    network,
    subject,
    amount,
    limit,
  }: { network: NetworkId; subject: string; amount: bigint; limit: bigint },
  nowMilliseconds: number,
): Promise<boolean> {
  if (amount > limit) return false
  const rows = await tx.query(
    'gas_reserve',
    `insert into gas_budgets as budget (network, day, subject, reserved)
     values ($1, (to_timestamp($5 / 1000.0) at time zone 'UTC')::date, $2, $3)
     on conflict (network, day, subject) do update set reserved = budget.reserved + excluded.reserved
       where budget.reserved + excluded.reserved <= $4
     returning subject`,
    [network, subject, amount.toString(), limit.toString(), nowMilliseconds],
  )
  return rows.length === 1
}

/**
 * Reserves gas of a day for several subjects at once, each of them once, in the order of their names. Gives those that would pass their
 * limit: when there are any, the transaction is to be rolled back.
 */
export async function reserveGasOfMany(
  tx: Tx,
  network: NetworkId,
  subjects: ReadonlyMap<string, { readonly amount: bigint; readonly limit: bigint }>,
  nowMilliseconds: number,
): Promise<ReadonlySet<string>> {
  const asked = [...subjects].map(([subject, { amount, limit }]) => ({ subject, amount, limit }))
  const rows = await tx.query<{ subject: string; reserved: string }>(
    'gas_reserve_many',
    `insert into gas_budgets as budget (network, day, subject, reserved)
     select $1, (to_timestamp($3 / 1000.0) at time zone 'UTC')::date, subject, amount
     from json_to_recordset($2::json) as asked (subject text, amount numeric)
     order by subject collate "C"
     on conflict (network, day, subject) do update set reserved = budget.reserved + excluded.reserved
     returning subject, reserved`,
    [
      network,
      JSON.stringify(asked.map(({ subject, amount }) => ({ subject, amount: `${amount}` }))),
      nowMilliseconds,
    ],
  )
  const isOver = ({ subject, reserved }: (typeof rows)[number]) =>
    BigInt(reserved) > (subjects.get(subject)?.limit ?? 0n)
  return new Set(rows.filter(isOver).map(({ subject }) => subject))
}

/** What a day took so far for one subject, by network; networks on which it took nothing are left out. */
export async function reservedGas(
  tx: Tx,
  subject: string,
  nowMilliseconds: number,
): Promise<ReadonlyMap<NetworkId, bigint>> {
  const rows = await tx.query<{ network: NetworkId; reserved: string }>(
    'gas_reserved',
    `select network, reserved from gas_budgets
      where subject = $1 and day = (to_timestamp($2 / 1000.0) at time zone 'UTC')::date`,
    [subject, nowMilliseconds],
  )
  return new Map(rows.map(({ network, reserved }) => [network, BigInt(reserved)]))
}

/** Forgets budgets of days that are over for good. */
export async function forgetGas(
  tx: Tx,
  network: NetworkId,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'gas_forget',
    `delete from gas_budgets where network = $1 and day < (to_timestamp($2 / 1000.0) at time zone 'UTC')::date - 7`,
    [network, nowMilliseconds],
  )
}
