import type { NetworkId } from '@florin/wire/network.ts'
import type { ProofKey } from '../chains/exact.ts'
import type { PaymentId } from '../kernel/id.ts'
import { limits } from '../kernel/limits.ts'
import type { Tx } from '../store/postgres.ts'
import type { Claim } from './claim.ts'
import { CLAIM_COLUMNS, claimOf, keepLonger } from './claim-store.ts'
import type { ClaimRow, KeptSignature } from './claim-store.ts'

/** Whoever has claimed a proof; held against every other word about it until the transaction ends. */
export async function lockClaimOf(
  tx: Tx,
  network: NetworkId,
  proofKey: ProofKey,
): Promise<Claim | undefined> {
  const rows = await tx.query<ClaimRow>(
    'claim_lock_proof',
    `select ${CLAIM_COLUMNS} from settlement_claims where network = $1 and proof_key = $2 for no key update`,
    [network, proofKey],
  )
  return rows[0] && claimOf(rows[0])
}

/**
 * Holds the claims of proofs against everybody who would take them over, until the transaction ends: what a block shows of them is then
 * told to whoever has them, and to nobody else. In the order in which successes are taken.
 */
export async function holdClaims(
  tx: Tx,
  network: NetworkId,
  proofKeys: readonly ProofKey[],
): Promise<void> {
  if (proofKeys.length === 0) return
  await tx.query(
    'claims_hold',
    `select from settlement_claims where network = $1 and proof_key = any($2) order by payment_id for no key update`,
    [network, proofKeys],
  )
}

/**
 * Notes a build for the seller's own wallet. A claim that is hard stays hard. Building again and again keeps others away for a bounded
 * time only. Of two signatures of the same payment the one that can be used longer is kept: until its end the payment is followed. Those that
 * the payer's code was asked about are known again, in the order in which they came and as many as there is room for.
 */
export async function noteBuilt(
  tx: Tx,
  paymentId: PaymentId,
  untilMilliseconds: number,
  { stored, validBeforeSeconds, awaitsCode }: KeptSignature,
): Promise<void> {
  await tx.query(
    'claim_built',
    `update settlement_claims set looks = 0, look_at = null, built_until = greatest(built_until,
       least(to_timestamp($2 / 1000.0), created_at + $3 * interval '1 minute')),
       ${keepLonger('$4', '$5')},
       judged = case when $6::boolean then (judged
         || case when "authorization" ->> 'signature' = any(judged) then '{}' else array["authorization" ->> 'signature'] end
         || case when $4::json ->> 'signature' = any(judged || array["authorization" ->> 'signature']) then '{}'
           else array[$4::json ->> 'signature'] end)[1:$7] else judged end
     where payment_id = $1`,
    [
      paymentId,
      untilMilliseconds,
      limits.softClaimMinutesMax,
      JSON.stringify(stored),
      validBeforeSeconds?.toString() ?? null,
      awaitsCode === true,
      limits.claimSignaturesMax,
    ],
  )
}

/** Ends the time in which a soft claim is its account's alone. */
export async function endBuilt(
  tx: Tx,
  paymentId: PaymentId,
  nowMilliseconds: number,
): Promise<void> {
  await tx.query(
    'claim_built_end',
    `update settlement_claims set built_until = least(built_until, to_timestamp($2 / 1000.0))
     where payment_id = $1 and is_soft`,
    [paymentId, nowMilliseconds],
  )
}

/** Lets go of a proof, so that somebody else can claim it. The row stays, under a name that no proof has. */
export async function letGo(
  tx: Tx,
  paymentId: PaymentId,
  nowMilliseconds: number,
): Promise<boolean> {
  const rows = await tx.query(
    'claim_let_go',
    `update settlement_claims
     set proof_key = proof_key || '/' || payment_id, closed_at = to_timestamp($2 / 1000.0), is_soft = false
     where payment_id = $1 and is_soft and answered_at is null and built_until <= to_timestamp($2 / 1000.0)
     returning payment_id`,
    [paymentId, nowMilliseconds],
  )
  return rows.length === 1
}
