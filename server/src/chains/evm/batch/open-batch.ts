import { parseBatchPayload } from '@florin/wire/x402/batch-payload.ts'
import type { Log } from '../../../kernel/log.ts'
import type { BatchOrder, BatchRead, BatchRefused, BatchSettlement } from '../../batch.ts'
import type { Address } from '../../chain.ts'
import { parseAddress } from '../account.ts'
import type { LearnedGas } from '../exact-draft.ts'
import { openLogLooks } from '../log-ranges.ts'
import { openPayerCode } from '../payer-code.ts'
import { openRecoveredSigners } from '../recovered-signers.ts'
import { openSettlementRuns } from '../settlement-runs.ts'
import { openSettlerFacts } from '../settler-facts.ts'
import { channelProblem } from './check-channel.ts'
import { readClaim, readSettle } from './claims.ts'
import { readDeposit } from './deposit.ts'
import { no } from './deps.ts'
import type { BatchDeps } from './deps.ts'
import { openEscrowCode } from './escrow-code.ts'
import type { EscrowCode } from './escrow-code.ts'
import { openEscrowDigests } from './escrow.ts'
import { movedBy } from './escrow-results.ts'
import { openOrderDraft } from './order-draft.ts'
import { readRefund, readVoucher } from './refund.ts'

/** x402 `batch-settlement` by the escrow that has the same address on every EVM network. */
export function openBatchSettlement({
  log,
  ...given
}: Pick<BatchDeps, 'transport' | 'config' | 'chainId' | 'clock'> & { log: Log }): BatchSettlement &
  Pick<EscrowCode, 'look'> {
  const { transport, clock, chainId } = given
  const contracts = openEscrowCode({ ...given, log })
  const digests = openEscrowDigests(chainId)
  const learned: LearnedGas = new Map()
  const drafting = {
    ...given,
    learned,
    settlerFacts: openSettlerFacts(transport),
    settlementRuns: openSettlementRuns(transport, clock),
  }
  const deps: BatchDeps = {
    ...{ ...given, digests, recovered: openRecoveredSigners() },
    code: openPayerCode(transport, clock),
    looks: openLogLooks(),
    contracts,
    draft: openOrderDraft(drafting),
  }
  return {
    ...contracts,
    read: (payload, demand) => {
      const read = parseBatchPayload(payload, parseAddress)
      if (read === 'unknown') return refused(no('invalid_batch_settlement_evm_payload_type'))
      if (read === undefined) return refused(no('invalid_payload'))
      switch (read.type) {
        case 'claim':
          return readAs(readClaim(deps, read, demand))
        case 'settle':
          return readAs(readSettle(deps, read, demand))
        case 'deposit':
        case 'voucher':
        case 'refund': {
          const channel = digests.channelOf(read.channel)
          const signature = Buffer.from(read.voucher.signature.slice(2), 'hex')
          const voucher = { ...read.voucher, signature }
          const { payer } = channel
          if (read.type === 'refund' && read.completed !== undefined) {
            const { amount, completed } = read
            return readAs(readRefund(deps, channel, { amount, completed }, demand), payer)
          }
          const problem = channelProblem(channel, voucher, demand)
          if (problem !== undefined) return refused(problem, payer)
          if (read.type === 'deposit') {
            return readAs(readDeposit(deps, { ...read, channel, voucher }, demand), payer)
          }
          const operation = read.type === 'voucher' ? 'voucher' : 'refund request'
          return readAs(readVoucher(deps, operation, { channel, voucher }, demand), payer)
        }
        default:
          return read satisfies never
      }
    },
    moved: (hash) => movedBy(deps, hash),
  }
}

function readAs(read: BatchOrder | BatchRefused, payer: Address | null = null): BatchRead {
  return 'ok' in read ? refused(read, payer) : { ok: true, order: read }
}

function refused(problem: BatchRefused, payer: Address | null = null): BatchRead {
  return { ...problem, payer }
}
