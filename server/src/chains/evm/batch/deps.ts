import type { Clock } from '../../../kernel/clock.ts'
import type { NetworkConfig } from '../../../kernel/network-config.ts'
import type { Address } from '../../chain.ts'
import type { BatchRefused } from '../../batch.ts'
import type { SettlementDraft } from '../../exact.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import type { PayerCode } from '../payer-code.ts'
import type { LogLooks } from '../log-ranges.ts'
import type { RecoveredSigners } from '../recovered-signers.ts'
import type { Call } from '../transfer.ts'
import type { EscrowCode } from './escrow-code.ts'
import type { EscrowDigests } from './escrow.ts'

/** What orders of an escrow are read, judged and sent with. */
export interface BatchDeps {
  readonly transport: Transport
  readonly config: NetworkConfig
  readonly chainId: bigint
  readonly clock: Clock
  readonly digests: EscrowDigests
  readonly recovered: RecoveredSigners
  readonly code: PayerCode
  readonly contracts: Pick<EscrowCode, 'lackOf'>
  /** Where looks for what others did left off. */
  readonly looks: LogLooks
  /**
   * A call of the escrow from a settler, within so much gas; undefined where it would fail. `likely` is what such calls take, or their name where that is learned from those that
   * were good; left out, every one is estimated.
   */
  draft(
    call: Call,
    settler: Address,
    gasMax: bigint,
    likely?: bigint | string,
  ): Promise<SettlementDraft | undefined>
}

/** A settlement needs time to be included. Source: the reference's margin. */
export const MARGIN_SECONDS = 6n

export function no(reason: BatchRefused['reason'], message?: string): BatchRefused {
  return { ok: false, reason, ...(message === undefined ? {} : { message }) }
}

/** Whoever names a network that has none hears what it would of any scheme that is not settled there. */
export const NO_ESCROW = no('unsupported_scheme', 'This network has no escrow of batch-settlement.')
