import type { NetworkId } from '@florin/wire/network.ts'
import type { Address } from '../chains/chain.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { Tx } from '../store/postgres.ts'

/** Whose money the claims of these proofs are to move. */
export async function payersOfClaims(
  tx: Tx,
  network: NetworkId,
  proofKeys: readonly ProofKey[],
): Promise<ReadonlySet<Address>> {
  if (proofKeys.length === 0) return new Set()
  const rows = await tx.query<{ payer: Address }>(
    'claim_payers',
    `select distinct "authorization" ->> 'from' as payer from settlement_claims where network = $1 and proof_key = any($2)`,
    [network, proofKeys],
  )
  return new Set(rows.map((row) => row.payer))
}
