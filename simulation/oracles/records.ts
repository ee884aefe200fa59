import type { Address } from '@florin/server/chains/chain.ts'
import type { Store } from '@florin/server/store/postgres.ts'

/** A sent payment as it is committed. */
export interface SentRecord {
  readonly id: string
  readonly status: string
  readonly amount: bigint
  /** Its commitment, which its transfers carry on chain. */
  readonly mark: string
  readonly asset: string
  readonly sender: Address
  readonly nonce: bigint
}

/** A received payment as it is committed. */
export interface ReceivedRecord {
  readonly status: string
  readonly hash: string
}

/** A sale as it is committed. */
export interface ClaimRecord {
  readonly id: string
  readonly status: string
  readonly payer: Address
  readonly nonce: string
  readonly claimedAtMilliseconds: number
}

/** What the books say of one wallet's money. */
export interface BookedMoney {
  readonly wallet: Address
  readonly asset: string
  /** Available and held. */
  readonly booked: bigint
  /** All that was ever booked as found on chain. */
  readonly funded: bigint
}

export const ENDS: ReadonlySet<string> = new Set(['settled', 'failed'])

/** What is committed, read by the database's owner: no rule of the service stands between. */
export interface Records {
  sent(): Promise<readonly SentRecord[]>
  /** Deposits. */
  received(): Promise<readonly ReceivedRecord[]>
  claims(): Promise<readonly ClaimRecord[]>
  money(): Promise<readonly BookedMoney[]>
  frozenLanes(): Promise<readonly Address[]>
  /** How many places each lane has given out. */
  lanes(): Promise<readonly { readonly wallet: Address; readonly places: bigint }[]>
  storedHashes(among: readonly string[]): Promise<ReadonlySet<string>>
  /** How far the chain is read, and up to where it is closed; undefined before anybody follows. */
  follower(): Promise<{ readonly height: bigint; readonly final: bigint } | undefined>
}

export function openRecords(owner: Store): Records {
  const read = <Row extends object>(name: string, sql: string, values?: readonly unknown[]) =>
    owner.query<Row>(`records_${name}`, sql, values)
  return {
    sent: async () => {
      const rows = await read<{ [Field in keyof SentRecord]: string }>(
        'sent',
        `select p.id, p.status, p.amount, encode(p.commitment, 'hex') as mark, p.asset, p.sender, t.nonce
         from payments p join payment_transactions pt on pt.payment_id = p.id
         join chain_transactions t on t.id = pt.chain_transaction_id
         where p.type = 'sent' order by p.id`,
      )
      return rows.map((row) => ({
        ...row,
        amount: BigInt(row.amount),
        sender: row.sender as Address,
        nonce: BigInt(row.nonce),
      }))
    },
    received: () =>
      read<ReceivedRecord>(
        'received',
        `select status, transaction_hash as hash from payments where type = 'received'
           and id not in (select payment_id from settlement_claims)`,
      ),
    claims: () =>
      read<ClaimRecord>(
        'claims',
        `select p.id, p.status, p.sender as payer, c.authorization ->> 'nonce' as nonce,
           floor(extract(epoch from c.created_at) * 1000)::float8 as "claimedAtMilliseconds"
         from settlement_claims c join payments p on p.id = c.payment_id order by p.id`,
      ),
    money: async () => {
      const rows = await read<{ [Field in keyof BookedMoney]: string }>(
        'money',
        `select w.address as wallet, a.asset,
           sum(a.balance) filter (where a.kind in ('available', 'held')) as booked,
           (select coalesce(sum(e.amount), 0) from ledger_entries e
            join ledger_transfers t on t.id = e.transfer_id and t.kind = 'funding'
            join ledger_accounts f on f.id = e.ledger_account_id and f.kind = 'available'
            where f.wallet_id = w.id and f.asset = a.asset) as funded
         from ledger_accounts a join wallets w on w.id = a.wallet_id
         group by w.id, w.address, a.asset order by w.address, a.asset`,
      )
      return rows.map(({ wallet, asset, booked, funded }) => ({
        wallet: wallet as Address,
        asset,
        booked: BigInt(booked),
        funded: BigInt(funded),
      }))
    },
    frozenLanes: async () => {
      const rows = await read<{ address: Address }>(
        'frozen',
        `select address from lanes where state = 'frozen' order by address`,
      )
      return rows.map(({ address }) => address)
    },
    lanes: async () => {
      const rows = await read<{ address: Address; places: string }>(
        'lanes',
        `select address, next_nonce as places from lanes order by address`,
      )
      return rows.map(({ address, places }) => ({ wallet: address, places: BigInt(places) }))
    },
    storedHashes: async (among) => {
      const sql = `select hash from attempts where hash = any($1)`
      const rows = await read<{ hash: string }>('hashes', sql, [among])
      return new Set(rows.map(({ hash }) => hash))
    },
    follower: async () => {
      const sql = `select height, finalized_height as final from followers`
      const [row] = await read<{ height: string; final: string }>('follower', sql)
      return row && { height: BigInt(row.height), final: BigInt(row.final) }
    },
  }
}
