import type { NetworkId } from '@florin/wire/network.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { AccountId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'

/** What a payer calls its payment, and which payment that is. */
export interface NamedPayment {
  readonly accountId: AccountId
  readonly payer: string
  readonly identifier: string
  readonly network: NetworkId
  readonly proofKey: ProofKey
}

/**
 * Keeps the name for this payment: one row per account, payer and name. False when another payment has it. One that was never claimed
 * loses it with its time, which is longer than a request may take from here to its claim.
 */
export async function reserveIdentifier(
  tx: Tx,
  { accountId, payer, identifier, network, proofKey }: NamedPayment,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'identifier_reserve',
    `insert into payment_identifiers as known (account_id, payer, identifier, network, proof_key, reserved_at)
     values ($1, $2, $3, $4, $5, to_timestamp($6 / 1000.0))
     on conflict (account_id, payer, identifier) do update set network = excluded.network, proof_key = excluded.proof_key,
       reserved_at = greatest(known.reserved_at, excluded.reserved_at)
     where (known.network, known.proof_key) = (excluded.network, excluded.proof_key)
       or (known.reserved_at < excluded.reserved_at - $7 * interval '1 second' and not exists (
         select from settlement_claims c where c.network = known.network and c.proof_key = known.proof_key))
     returning identifier`,
    [
      ...[accountId, payer, identifier, network, proofKey, nowMilliseconds],
      limits.paymentIdentifierHeldSeconds,
    ],
  )
  return rows.length === 1
}

/** Whether another payment has the name. */
export async function isIdentifierTaken(
  tx: Tx,
  { accountId, payer, identifier, network, proofKey }: NamedPayment,
): Promise<boolean> {
  const rows = await tx.query(
    'identifier_taken',
    `select from payment_identifiers known join settlement_claims c using (network, proof_key)
     where known.account_id = $1 and payer = $2 and identifier = $3
       and (network, proof_key) <> ($4, $5)`,
    [accountId, payer, identifier, network, proofKey],
  )
  return rows.length === 1
}

/** Gives the name back that a refused payment had, unless something was claimed for it after all. */
export async function releaseIdentifier(
  tx: Tx,
  { accountId, payer, identifier, network, proofKey }: NamedPayment,
): Promise<void> {
  await tx.query(
    'identifier_release',
    `delete from payment_identifiers known where account_id = $1 and payer = $2 and identifier = $3
       and network = $4 and proof_key = $5
       and not exists (select from settlement_claims c where c.network = $4 and c.proof_key = $5)`,
    [accountId, payer, identifier, network, proofKey],
  )
}

/** Forgets names past their days. */
export async function forgetIdentifiers(tx: Tx, nowMilliseconds: number): Promise<void> {
  await tx.query(
    'identifier_forget',
    `delete from payment_identifiers where reserved_at < to_timestamp($1 / 1000.0) - $2 * interval '1 day'`,
    [nowMilliseconds, limits.paymentIdentifierKeptDays],
  )
}
