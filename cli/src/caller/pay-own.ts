import type { Florin, PaymentRecord } from '@florin/sdk'
import type { Arguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { openOwnKey } from './own-wallet.ts'
import { reviewBuild } from './review-build.ts'
import type { OwnOrder } from './review-build.ts'

/** The file of `--keyfile`, undefined without `--self-custody`. Throws UsageError when the two are not given together. */
export function ownKeyFile(given: Arguments): string | undefined {
  const path = given.flag('keyfile')
  if (given.has('self-custody') !== (path !== undefined)) {
    throw new UsageError('--self-custody and --keyfile FILE belong together')
  }
  if (path !== undefined && given.flag('from') !== undefined) {
    throw new UsageError('--from says nothing beside --keyfile: the key is of one wallet')
  }
  if (path === undefined && given.flag('max-fee') !== undefined) {
    throw new UsageError('--max-fee belongs to --self-custody')
  }
  return path
}

/**
 * Pays with the key of a file: the service builds and sends, the bytes are read and signed here, and the key goes nowhere. The same
 * idempotency key gives the same bytes, so a repeat pays once. Throws CommandFailed for an unusable file or a build that does something
 * else.
 */
export async function payOwn(
  florin: Florin,
  order: OwnOrder,
  {
    path,
    signal,
    idempotencyKey,
    maxFee,
  }: {
    readonly path: string
    readonly signal: AbortSignal
    readonly idempotencyKey: string | undefined
    /** Whole native units; the client's own bound when left out. */
    readonly maxFee: string | undefined
  },
): Promise<PaymentRecord> {
  const { wallet, erase } = await openOwnKey(path)
  try {
    const networks = await florin.networks.list({ signal })
    const { paymentId } = await florin.transactions.signAndSend(order, wallet, {
      signal,
      idempotencyKey,
      maxFee,
      review: (build) => reviewBuild(build, order, networks),
    })
    return await florin.payments.status(paymentId, { signal })
  } finally {
    erase()
  }
}
