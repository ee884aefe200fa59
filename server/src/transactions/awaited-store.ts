import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import { proofKey } from '../chains/exact.ts'
import { payersOfClaims } from '../facilitator/claim-payers-store.ts'
import type { Tx } from '../store/postgres.ts'

/** Whether a network has a build that has not come to its end. */
export async function hasLiveBuild(tx: Tx, network: NetworkId): Promise<boolean> {
  const rows = await tx.query<{ found: boolean }>(
    'builds_any_live',
    `select exists (select from builds where network = $1 and closed_at is null) as found`,
    [network],
  )
  return rows[0]?.found === true
}

/** Those of the addresses that a live build waits for, by its place or by what it carries. */
export async function sendersAwaited(
  tx: Tx,
  network: NetworkId,
  senders: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const rows = await tx.query<{ sender: Address }>(
    'builds_senders',
    `select asked.sender from unnest($2::text[]) as asked (sender)
     where exists (select from builds b where b.network = $1 and b.sender = asked.sender and b.closed_at is null
       and (b.proof_key is null or b.nonce is not null))`,
    [network, senders],
  )
  return new Set(rows.map((row) => row.sender))
}

/** The buyers whose own bytes live builds of these settling wallets are: each signs beside the wallet. */
export async function buyersAwaited(
  tx: Tx,
  network: NetworkId,
  settlers: readonly Address[],
): Promise<ReadonlySet<Address>> {
  if (settlers.length === 0) return new Set()
  const rows = await tx.query<{ proof_key: string }>(
    'builds_proofs_awaited',
    `select proof_key from builds
     where network = $1 and sender = any($2) and closed_at is null and proof_key is not null and nonce is null`,
    [network, settlers],
  )
  const proofKeys = rows.map((row) => proofKey(row.proof_key))
  return payersOfClaims(tx, network, proofKeys)
}

/** Those of the commitments that a live build carries which is more than a plain transfer. */
export async function tradesAwaited(
  tx: Tx,
  network: NetworkId,
  commitments: readonly string[],
): Promise<ReadonlySet<string>> {
  if (commitments.length === 0) return new Set()
  const rows = await tx.query<{ commitment: string }>(
    'builds_trades_awaited',
    `select encode(commitment, 'hex') as commitment from builds
     where network = $1 and commitment = any (array(select decode(c, 'hex') from unnest($2::text[]) as c))
       and trade_id is not null and closed_at is null`,
    [network, commitments],
  )
  return new Set(rows.map(({ commitment }) => commitment))
}
