import type { Family } from '@florin/wire/network.ts'
import { Refusal } from '@florin/wire/errors.ts'
import type { Address } from '../chains/chain.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** A receiving address whose holder has signed for an account. */
export interface Receiver {
  readonly accountId: AccountId
  readonly family: Family
  readonly address: Address
  readonly label: string | null
  readonly registeredAtMilliseconds: number
}

interface ReceiverRow {
  readonly account_id: AccountId
  readonly family: Family
  readonly address: Address
  readonly label: string | null
  readonly registered_at: Date
}

const COLUMNS = 'account_id, family, address, label, registered_at'

function receiverOf(row: ReceiverRow): Receiver {
  return {
    accountId: row.account_id,
    family: row.family,
    address: row.address,
    label: row.label,
    registeredAtMilliseconds: row.registered_at.getTime(),
  }
}

/**
 * The one account that may claim payments to an address: whose wallet it is, deleted or not, or who registered it. Undefined for an
 * address of nobody here, which whoever comes first may claim for.
 */
export async function receiverAccount(
  tx: Tx,
  family: Family,
  address: Address,
): Promise<AccountId | undefined> {
  const rows = await tx.query<{ account_id: AccountId }>(
    'receiver_account',
    `select account_id from wallets where family = $1 and address = $2
     union all
     select account_id from receiving_addresses where family = $1 and address = $2 and deleted_at is null
     limit 1`,
    [family, address],
  )
  return rows[0]?.account_id
}

/** The same for several addresses, in their order. */
export async function receiverAccounts(
  tx: Pick<Tx, 'query'>,
  asked: readonly { readonly family: Family; readonly address: Address }[],
): Promise<readonly (AccountId | undefined)[]> {
  const rows = await tx.query<{ family: Family; address: Address; account_id: AccountId }>(
    'receiver_accounts',
    `select family, address, account_id from receiving_addresses
     where (family, address) in (select * from unnest($1::text[], $2::text[])) and deleted_at is null
     union all
     select family, address, account_id from wallets
     where (family, address) in (select * from unnest($1::text[], $2::text[]))`,
    [asked.map(({ family }) => family), asked.map(({ address }) => address)],
  )
  const owners = new Map(
    rows.map(({ family, address, account_id: owner }) => [`${family} ${address}`, owner]),
  )
  return asked.map(({ family, address }) => owners.get(`${family} ${address}`))
}

/**
 * Registers an address unless somebody has it, and gives whoever has it then, and whether that is new. Refuses INVALID_PARAMETERS when the account has
 * `receiversPerAccountMax` already.
 */
export async function insertReceiver(
  tx: Tx,
  receiver: Receiver,
): Promise<{ readonly receiver: Receiver; readonly isNew: boolean }> {
  const { accountId, family, address, label, registeredAtMilliseconds } = receiver
  // One after the other, so that none is counted before another that is about to be there; read again by the next statement.
  await tx.query(
    'receivers_lock',
    `select pg_advisory_xact_lock(hashtextextended('receiving addresses ' || $1, 0))`,
    [accountId],
  )
  const counted = await tx.query<{ count: string }>(
    'receivers_count',
    'select count(*) from receiving_addresses where account_id = $1 and deleted_at is null',
    [accountId],
  )
  if (Number(counted[0]?.count ?? 0) >= limits.receiversPerAccountMax) {
    throw new Refusal('INVALID_PARAMETERS', {
      message: 'This account has as many receiving addresses as it may have.',
      details: { address: `at most ${limits.receiversPerAccountMax} per account` },
    })
  }
  const made = await tx.query(
    'receiver_insert',
    `insert into receiving_addresses (account_id, family, address, label, registered_at)
     values ($1, $2, $3, $4, to_timestamp($5 / 1000.0))
     on conflict (family, address) where deleted_at is null do nothing returning id`,
    [accountId, family, address, label, registeredAtMilliseconds],
  )
  const rows = await tx.query<ReceiverRow>(
    'receiver_live',
    `select ${COLUMNS} from receiving_addresses where family = $1 and address = $2 and deleted_at is null`,
    [family, address],
  )
  if (rows[0] === undefined) throw new Error('an address was neither registered nor found')
  return { receiver: receiverOf(rows[0]), isNew: made.length === 1 }
}

/** What an account registered under an address last, given up since or not. */
export async function lastReceiver(
  tx: Tx,
  accountId: AccountId,
  address: string,
): Promise<Receiver | undefined> {
  const rows = await tx.query<ReceiverRow>(
    'receiver_last',
    `select ${COLUMNS} from receiving_addresses where account_id = $1 and address = $2 order by id desc limit 1`,
    [accountId, address],
  )
  return rows[0] && receiverOf(rows[0])
}

/** The account's registered addresses, oldest first; `receiversPerAccountMax` bounds them. */
export async function listReceivers(tx: Tx, accountId: AccountId): Promise<readonly Receiver[]> {
  const rows = await tx.query<ReceiverRow>(
    'receivers_list',
    `select ${COLUMNS} from receiving_addresses where account_id = $1 and deleted_at is null
     order by registered_at, id limit $2`,
    [accountId, limits.receiversPerAccountMax],
  )
  return rows.map(receiverOf)
}

/** Gives an address up. False when the account has none of that name. */
export async function removeReceiver(
  tx: Tx,
  accountId: AccountId,
  address: Address,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'receiver_remove',
    `update receiving_addresses set deleted_at = to_timestamp($3 / 1000.0)
     where account_id = $1 and address = $2 and deleted_at is null returning id`,
    [accountId, address, nowMilliseconds],
  )
  return rows.length > 0
}
