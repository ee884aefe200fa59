import { hash as digestOf } from 'node:crypto'
import type { VoucherClaim } from '@florin/wire/x402/batch-payload.ts'
import type { TransactionHash } from '../../chain.ts'
import type { BatchDemand, BatchOrder, BatchRefused } from '../../batch.ts'
import { requireAddress, ZERO_ADDRESS } from '../account.ts'
import type { Call } from '../transfer.ts'
import { readReceiver } from './channel-state.ts'
import { asEscrowReads } from './check-channel.ts'
import { no, NO_ESCROW } from './deps.ts'
import type { BatchDeps } from './deps.ts'
import { claimCall, settleCall } from './escrow-calls.ts'
import { ESCROW, idText } from './escrow.ts'
import type { Row } from './escrow.ts'
import { settledBy } from './escrow-results.ts'

/** A claim of one voucher takes some 80,000, and each more 25,000; twice that where new state is dear. */
const CLAIM_GAS = 200_000n
const CLAIM_GAS_PER_ROW = 60_000n
/** What the code of a payer may take to answer: a voucher that is found good within this is to be claimed as well. */
const CODE_GAS_PER_ROW = 180_000n
/** Below what a transaction may take. Source: EIP-7825. */
const CLAIM_GAS_MAX = 16_000_000n
/** Some 64,000 with a listed token; more where new state is dear (decision 0113). */
const SETTLE_GAS_MAX = 500_000n

/** Rows with their channels named. Signatures of keys as the escrow takes them. */
export function rowsOf(
  { digests, recovered }: Pick<BatchDeps, 'digests' | 'recovered'>,
  claims: readonly VoucherClaim[],
): readonly Row[] {
  return claims.map(({ channel: written, maxClaimableAmount, signature, totalClaimed }) => {
    const channel = digests.channelOf(written)
    const { payer, payerAuthorizer } = channel
    const signer = payerAuthorizer === ZERO_ADDRESS ? payer : payerAuthorizer
    const bytes = Buffer.from(signature.slice(2), 'hex')
    const signed = asEscrowReads(recovered, signer, bytes, () =>
      digests.voucher(channel.id, maxClaimableAmount),
    )
    return { channel, maxClaimableAmount, signature: signed, totalClaimed }
  })
}

/** The call that claims them by what their authorizer signed. */
export function claimOfRows(
  { digests, recovered }: Pick<BatchDeps, 'digests' | 'recovered'>,
  rows: readonly Row[],
  signature: string,
): Call {
  const authorizer = rows[0]?.channel.receiverAuthorizer ?? ZERO_ADDRESS
  const bytes = Buffer.from(signature.slice(2), 'hex')
  return claimCall(
    rows,
    asEscrowReads(recovered, authorizer, bytes, () => digests.claims(rows)),
  )
}

/** What rows of plain keys take where state costs what it does on Ethereum: measured 77,700 for one, 278,600 for ten, 644,600 for 25. */
function claimGasLikely(rows: number): bigint {
  return 60_000n + 25_500n * BigInt(rows)
}

export function claimGasMax(rows: readonly Row[]): bigint {
  const byCode = rows.filter(({ channel }) => channel.payerAuthorizer === ZERO_ADDRESS)
  const gas =
    CLAIM_GAS + CLAIM_GAS_PER_ROW * BigInt(rows.length) + CODE_GAS_PER_ROW * BigInt(byCode.length)
  return gas < CLAIM_GAS_MAX ? gas : CLAIM_GAS_MAX
}

/** What makes calls one and the same whose repetition does nothing: all that they say. */
export function contentKey({ data }: Call): string {
  return digestOf('sha256', data, 'hex')
}

/** Counts vouchers for receivers. What they say is looked at by the escrow alone, in the simulation and again on chain. */
export function readClaim(
  deps: BatchDeps,
  given: { readonly claims: readonly VoucherClaim[]; readonly signature: string | undefined },
  { asset }: BatchDemand,
): BatchOrder | BatchRefused {
  const rows = rowsOf(deps, given.claims)
  if (rows.some(({ channel }) => channel.token !== asset.asset)) {
    return no('invalid_batch_settlement_evm_token_mismatch')
  }
  // This service signs for nobody's authorizer: it would sign whatever it is handed.
  if (given.signature === undefined) {
    return no('invalid_batch_settlement_evm_authorizer_not_configured')
  }
  const call = claimOfRows(deps, rows, given.signature)
  const key = contentKey(call)
  return {
    operation: 'claim',
    payer: null,
    receivers: [...new Set(rows.map(({ channel }) => channel.receiver))],
    asset,
    channelIds: [...new Set(rows.map(({ channel }) => idText(channel)))],
    deposited: null,
    content: key,
    check: async () => no('invalid_batch_settlement_evm_payload_type'),
    key: async () => ({ ok: true, key: `claim:${key}` }),
    prepare: async (settler) => {
      // A call to nobody runs well, and nothing of this one was read from the escrow.
      const [lack, draft] = await Promise.all([
        deps.contracts.lackOf(ESCROW),
        deps.draft(call, settler, claimGasMax(rows), claimGasLikely(rows.length)),
      ])
      if (lack !== undefined) return NO_ESCROW
      return draft === undefined
        ? no('invalid_batch_settlement_evm_claim_simulation_failed')
        : { ok: true, draft }
    },
    result: async () => ({ amount: null, channel: null }),
  }
}

/** Sends a receiver what was claimed for it. */
export function readSettle(
  deps: BatchDeps,
  { receiver, token }: { readonly receiver: string; readonly token: string },
  { asset, payTo }: BatchDemand,
): BatchOrder | BatchRefused {
  if (token !== asset.asset) return no('invalid_batch_settlement_evm_token_mismatch')
  if (receiver !== payTo) return no('invalid_batch_settlement_evm_receiver_mismatch')
  const tokenAddress = requireAddress(token)
  return {
    operation: 'settle',
    subject: `${token} ${payTo}`,
    payer: null,
    receivers: [payTo],
    asset,
    channelIds: [],
    deposited: null,
    content: '',
    check: async () => no('invalid_batch_settlement_evm_payload_type'),
    // By what was sent before: whoever asks again before the chain shows it joins, and once it does that is another call.
    key: async () => {
      const read = await readReceiver(deps.transport, payTo, tokenAddress)
      if (read === undefined) return NO_ESCROW
      const { totalClaimed, totalSettled } = read
      return totalClaimed > totalSettled
        ? { ok: true, key: `settle:${token}:${payTo}:${totalSettled}` }
        : no(
            'invalid_batch_settlement_evm_nothing_to_settle',
            'Nothing was claimed for this receiver and token since the last settlement.',
          )
    },
    prepare: async (settler) => {
      const draft = await deps.draft(settleCall(payTo, tokenAddress), settler, SETTLE_GAS_MAX)
      return draft === undefined
        ? no('invalid_batch_settlement_evm_settle_simulation_failed')
        : { ok: true, draft }
    },
    result: (hash: TransactionHash) => settledBy(deps, payTo, tokenAddress, hash),
  }
}
