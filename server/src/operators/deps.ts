import type { NetworkId } from '@florin/wire/network.ts'
import type { Audit } from '../audit/audit.ts'
import type { ChainDirectory } from '../chains/directory.ts'
import type { OpenSigner } from '../custody/signer.ts'
import type { Wallet } from '../custody/wallet.ts'
import type { Settlers } from '../facilitator/settlers.ts'
import type { Clock } from '../kernel/clock.ts'
import type { KillPoint } from '../kernel/kill-point.ts'
import type { NetworkConfig } from '../kernel/network-config.ts'
import type { Random } from '../kernel/random.ts'
import type { Broadcaster } from '../sender/broadcast.ts'
import type { DriverState } from '../sender/driver.ts'
import type { Store } from '../store/postgres.ts'

/** One setting as it is in force; of a secret only whether it is set. */
export interface ShownSetting {
  readonly name: string
  readonly value: string | null
  readonly secret: boolean
}

/** What the checker of invariants found. */
export interface ShownDiagnosis {
  readonly findings: readonly { readonly invariant: string; readonly subject: string }[]
  readonly unasked: readonly string[]
  readonly notTaken: readonly string[]
  readonly clocks: readonly string[]
  readonly lookAt: readonly {
    readonly network: string
    readonly address: string
    readonly nonce: string
    readonly hash: string
    readonly nodes: readonly string[]
    readonly since: string
  }[]
}

/** What the operators' room stands on. */
export interface OperatorDeps {
  readonly store: Store
  readonly clock: Clock
  readonly random: Random
  readonly audit: Audit
  readonly networks: readonly NetworkConfig[]
  readonly directory: ChainDirectory
  readonly settlers: Pick<Settlers, 'of'>
  readonly broadcaster: Broadcaster
  /** The key of a wallet, to be erased by whoever asked. */
  signerFor(wallet: Wallet, network: NetworkConfig): Promise<OpenSigner>
  readonly killPoint: (point: KillPoint) => void
  readonly settings: readonly ShownSetting[]
  /** Where people reach the service: links begin with it. */
  baseUrl(): string
  /** How this instance follows a network. */
  driverState(network: NetworkId): DriverState | undefined
  /** Holds books and chains against every invariant. Changes nothing. */
  diagnose(): Promise<ShownDiagnosis>
}

const PAGE_DEFAULT = 50

/** A page, its rows read one too many: that tells whether there is more. */
export async function page<Row>(
  { limit = PAGE_DEFAULT, cursor }: { readonly limit?: number; readonly cursor?: string },
  nameOf: (row: Row) => string,
  read: (wanted: {
    readonly after: string | undefined
    readonly count: number
  }) => Promise<readonly Row[]>,
): Promise<{ readonly rows: readonly Row[]; readonly nextCursor: string | null }> {
  const found = await read({ after: cursor, count: limit + 1 })
  const rows = found.slice(0, limit)
  const last = rows.at(-1)
  return {
    rows,
    nextCursor: found.length > limit && last !== undefined ? nameOf(last) : null,
  }
}
