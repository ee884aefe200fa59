import type { Clock } from '../clock.ts'
import { limits } from '../limits.ts'
import type { ReceiptSigner } from './receipt-signer.ts'

/**
 * Signs, and does not wait for ever: a vault that takes connections and never answers is as good as one that is shut.
 * @throws when there is no signature in time, and whatever the signer throws
 */
export async function signInTime(
  signer: ReceiptSigner,
  bytes: Uint8Array<ArrayBuffer>,
  clock: Clock,
): Promise<Uint8Array> {
  const isOver = new AbortController()
  const late = clock.sleep(limits.paywallAskMilliseconds, isOver.signal).then(() => {
    throw new Error('the signer did not answer in time')
  })
  try {
    return await Promise.race([signer.sign(bytes), late])
  } finally {
    isOver.abort()
    // Ends with the wait, which nobody is interested in any more.
    late.catch(() => undefined)
  }
}
