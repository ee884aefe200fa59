import type { MemberId, PasskeyId } from '../kernel/id.ts'
import type { Tx } from '../store/postgres.ts'

/** A passkey as its person sees it. */
export interface PasskeyFacts {
  readonly passkeyId: PasskeyId
  readonly name: string
  readonly synced: boolean
  readonly createdAtMilliseconds: number
  readonly lastUsedAtMilliseconds: number | null
}

/** A passkey as it is checked. */
export interface StoredPasskey extends PasskeyFacts {
  readonly memberId: MemberId
  readonly credentialId: Uint8Array
  readonly publicKey: Uint8Array
  readonly counter: number
  readonly transports: readonly string[]
}

interface Row {
  readonly id: PasskeyId
  readonly member_id: MemberId
  readonly name: string
  readonly credential_id: Uint8Array
  readonly public_key: Uint8Array
  readonly counter: string
  readonly transports: string[]
  readonly synced: boolean
  readonly created_at: Date
  readonly last_used_at: Date | null
}

const COLUMNS = `id, member_id, name, credential_id, public_key, counter::text as counter, transports,
  synced, created_at, last_used_at`

function toPasskey(row: Row): StoredPasskey {
  return {
    passkeyId: row.id,
    memberId: row.member_id,
    name: row.name,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    counter: Number(row.counter),
    transports: row.transports,
    synced: row.synced,
    createdAtMilliseconds: row.created_at.getTime(),
    lastUsedAtMilliseconds: row.last_used_at?.getTime() ?? null,
  }
}

/** A person's passkeys, oldest first. */
export async function listPasskeys(tx: Tx, memberId: MemberId): Promise<readonly StoredPasskey[]> {
  const rows = await tx.query<Row>(
    'people_list_passkeys',
    `select ${COLUMNS} from passkeys where member_id = $1 order by created_at, id`,
    [memberId],
  )
  return rows.map(toPasskey)
}

/** The passkey with this credential, under a row lock, so that its counter is read and written by one alone. */
export async function lockPasskey(
  tx: Tx,
  credentialId: Uint8Array,
): Promise<StoredPasskey | undefined> {
  const rows = await tx.query<Row>(
    'people_lock_passkey',
    `select ${COLUMNS} from passkeys where credential_id = $1 for update`,
    [credentialId],
  )
  return rows[0] && toPasskey(rows[0])
}

/** False: somebody has that credential already. */
export async function insertPasskey(tx: Tx, passkey: StoredPasskey): Promise<boolean> {
  const rows = await tx.query(
    'people_insert_passkey',
    `insert into passkeys
       (id, member_id, name, credential_id, public_key, counter, transports, synced, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0))
     on conflict (credential_id) do nothing returning id`,
    [
      passkey.passkeyId,
      passkey.memberId,
      passkey.name,
      passkey.credentialId,
      passkey.publicKey,
      passkey.counter,
      passkey.transports,
      passkey.synced,
      passkey.createdAtMilliseconds,
    ],
  )
  return rows.length === 1
}

export async function markPasskeyUsed(
  tx: Tx,
  passkeyId: PasskeyId,
  counter: number,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'people_use_passkey',
    `update passkeys set counter = $2, last_used_at = to_timestamp($3 / 1000.0) where id = $1`,
    [passkeyId, counter, nowMilliseconds],
  )
}

/** Gives the name of the passkey that was; undefined: the person has no such one. */
export async function deletePasskey(
  tx: Tx,
  memberId: MemberId,
  passkeyId: string,
): Promise<string | undefined> {
  const rows = await tx.query<{ name: string }>(
    'people_delete_passkey',
    'delete from passkeys where id = $1 and member_id = $2 returning name',
    [passkeyId, memberId],
  )
  return rows[0]?.name
}
