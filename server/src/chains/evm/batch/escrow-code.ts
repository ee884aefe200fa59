import type { Clock } from '../../../kernel/clock.ts'
import { hasLeft } from '../../../kernel/has-left.ts'
import { limits } from '../../../kernel/limits.ts'
import type { Log } from '../../../kernel/log.ts'
import type { NetworkConfig } from '../../../kernel/network-config.ts'
import { NodeFailure } from '../../chain.ts'
import type { Address } from '../../chain.ts'
import type { Transport } from '../../json-rpc/transport.ts'
import { codeRead } from '../payer-code.ts'
import { ERC3009_COLLECTOR, ESCROW, PERMIT2_COLLECTOR } from './escrow.ts'

const NAMES = new Map([
  [ESCROW, 'escrow'],
  [ERC3009_COLLECTOR, 'collector of deposits by EIP-3009'],
  [PERMIT2_COLLECTOR, 'collector of deposits by Permit2'],
])

/** Which contracts of the scheme a network has, which the operator says and its nodes show. */
export interface EscrowCode {
  /** Whether the escrow and a collector are there, as nodes have shown last; until one has, they are not. Asks nobody. */
  isTaken(): boolean
  /** Asks the nodes, unless they were asked just now. What stands against any part of the scheme, undefined when nothing does. */
  whatIsMissing(): Promise<string | undefined>
  /** Asks where that is due; whoever comes before the first answer waits for it. Never fails. */
  look(): Promise<void>
  /**
   * What is said of a contract that is not there; undefined of one that was seen. Asks as `whatIsMissing` does, and throws NodeFailure where no node has told yet.
   */
  lackOf(contract: Address): Promise<string | undefined>
}

/** One read of the code of all three, in long intervals once they were seen: contracts come late, and nodes are exchanged for others. */
export function openEscrowCode({
  transport,
  config: { network },
  clock,
  log,
}: {
  readonly transport: Pick<Transport, 'read'>
  readonly config: Pick<NetworkConfig, 'network'>
  readonly clock: Pick<Clock, 'nowMilliseconds'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}): EscrowCode {
  /** As it was known last: a question that failed says nothing of what is there. */
  let found: ReadonlySet<Address> | undefined
  let failure: string | undefined = 'no node was asked yet'
  let said: string | undefined = failure
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const isThere = (contract: Address) => found?.has(contract) === true
  const isTaken = () =>
    isThere(ESCROW) && (isThere(ERC3009_COLLECTOR) || isThere(PERMIT2_COLLECTOR))
  const absent = () => [...NAMES.keys()].filter((contract) => !isThere(contract))

  function missing(): string | undefined {
    if (found === undefined) return failure
    const lacking = absent()
    if (lacking.length === 0) return undefined
    const named = lacking.map((contract) => `the ${NAMES.get(contract)} (${contract})`).join(', ')
    return isTaken()
      ? `there is no code at ${named} on this chain: such deposits are refused until it is there`
      : `there is no code at ${named} on this chain: take batchSettlement out of the networks file, or have it deployed`
  }

  async function ask(): Promise<void> {
    askedAt = clock.nowMilliseconds()
    try {
      found = await transport.read(codeRead([...NAMES.keys()]))
      failure = undefined
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      failure = error.message
    }
    say(missing())
  }

  /** Once for each thing to say. */
  function say(reason: string | undefined): void {
    if (reason === said) return
    said = reason
    if (reason === undefined) log.info({ network }, 'batch-settlement is settled')
    else if (isTaken()) log.warn({ network, reason }, 'a part of batch-settlement is not settled')
    else
      log.warn({ network, reason }, 'batch-settlement is not settled, and not in /x402/supported')
  }

  function whenKnown(): Promise<void> | undefined {
    const isWhole = failure === undefined && missing() === undefined
    const length = (isWhole ? limits.escrowSeenSeconds : limits.escrowLookSeconds) * 1000
    if (asking === undefined && !hasLeft(askedAt + length, clock.nowMilliseconds(), length)) {
      asking = ask().finally(() => {
        asking = undefined
      })
    }
    return asking
  }

  return {
    isTaken,
    whatIsMissing: async () => {
      await whenKnown()
      return missing()
    },
    look: async () => {
      const known = whenKnown()?.catch((error: unknown) =>
        log.error({ network, err: error }, 'whether there is an escrow was not found out'),
      )
      if (found === undefined) await known
    },
    lackOf: async (contract) => {
      if (isThere(contract)) return undefined
      await whenKnown()
      if (found === undefined) throw new NodeFailure(`whether there is an escrow: ${failure}`)
      return isThere(contract) ? undefined : `This network has no ${NAMES.get(contract)}.`
    },
  }
}
