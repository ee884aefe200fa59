import type { Clock } from '../../kernel/clock.ts'
import { hasLeft } from '../../kernel/has-left.ts'
import { limits } from '../../kernel/limits.ts'
import type { Log } from '../../kernel/log.ts'
import type { NetworkConfig } from '../../kernel/network-config.ts'
import { NodeFailure } from '../chain.ts'
import type { TransactionHash } from '../chain.ts'
import type { SmartWalletPayments } from '../exact.ts'
import { fieldsFrom, listFrom } from '../json-rpc/answer.ts'
import type { Read, Transport } from '../json-rpc/transport.ts'
import { transactionHashFrom } from './answer.ts'
import { outcomeOptions } from './outcome.ts'
import { TOKEN_PROGRAM } from './programs.ts'

/** Whether a node keeps what programs did by calls of their own, without which nobody can tell what a smart wallet paid. */
export interface SmartWalletNode extends SmartWalletPayments {
  /** Asks beside whatever else is read, where that is not known yet. */
  lookBeside(): void
  /** What nobody could tell was included: no node that can be asked does any more. */
  forget(): void
}

/**
 * A simulation tells a program's calls on every node, and the record of the transaction on those only that keep them. So one transaction
 * has to have been read with its inner instructions, if only with none of them, before a payment is taken that needs them.
 */
export function openSmartWalletNode({
  transport,
  config: { network },
  clock,
  log,
}: {
  readonly transport: Pick<Transport, 'read'>
  readonly config: Pick<NetworkConfig, 'network'>
  readonly clock: Pick<Clock, 'nowMilliseconds'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}): SmartWalletNode {
  let isShown = false
  let missing = 'no node was asked yet'
  let askedAt = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  async function ask(): Promise<void> {
    askedAt = clock.nowMilliseconds()
    const before = missing
    try {
      const hash = await transport.read(newestRead)
      if (hash === undefined) missing = 'no transaction of the token program was shown yet'
      else {
        await transport.read(keptRead(hash))
        isShown = true
      }
    } catch (error) {
      if (!(error instanceof NodeFailure)) throw error
      missing = error.message
    }
    if (isShown) log.info({ network }, 'payments of smart wallets are taken')
    else if (missing !== before) {
      log.warn({ network, reason: missing }, 'payments of smart wallets are not taken')
    }
  }

  async function whatIsMissing(): Promise<string | undefined> {
    if (isShown) return undefined
    const length = limits.smartWalletLookSeconds * 1000
    const isDue = !hasLeft(askedAt + length, clock.nowMilliseconds(), length)
    if (asking === undefined && isDue) {
      asking = ask().finally(() => {
        asking = undefined
      })
    }
    await asking
    return isShown ? undefined : missing
  }

  return {
    areTaken: () => isShown,
    whatIsMissing,
    lookBeside: () => {
      // Whoever needs the answer asks again and hears the failure itself.
      whatIsMissing().catch((error: unknown) =>
        log.error({ network, err: error }, 'whether smart wallets can pay was not found out'),
      )
    },
    forget: () => {
      isShown = false
      missing = 'a payment of a smart wallet was included, and no node tells what it moved'
    },
  }
}

/** The newest transaction that called the token program: on a network in use never an old one. */
const newestRead: Read<TransactionHash | undefined> = {
  method: 'getSignaturesForAddress',
  params: [TOKEN_PROGRAM, { limit: 1, commitment: outcomeOptions.commitment }],
  parse: (result) => {
    const [newest] = listFrom(result, 'signatures')
    if (newest === undefined) return undefined
    return transactionHashFrom(fieldsFrom(newest, 'signature')['signature'], 'signature')
  },
}

/** Apart, because a node that lacks them may do well at everything else. */
function keptRead(hash: TransactionHash): Read<true> {
  return {
    method: 'getTransaction',
    params: [hash, outcomeOptions],
    apart: true,
    parse: (result) => {
      if (result === null) throw new NodeFailure('the node does not have the newest transaction')
      const meta = fieldsFrom(fieldsFrom(result, 'transaction')['meta'], "transaction's meta")
      if (!Array.isArray(meta['innerInstructions'])) {
        throw new NodeFailure(
          'the node keeps no inner instructions (Agave: --enable-extended-tx-metadata-storage)',
        )
      }
      return true
    },
  }
}
