import { FlorinError } from '@florin/sdk'
import type { PaymentRecord } from '@florin/sdk'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { readAssetNames } from './asset-names.ts'
import { EXIT } from './exit-code.ts'
import { paymentText } from './payment-text.ts'
import { openProgressLine } from './progress-line.ts'
import { secondsFrom } from './seconds.ts'
import { tellFailure } from './tell-failure.ts'
import { withClient } from './with-client.ts'

const WATCH_SECONDS = 300

/** `florin status`: a payment's record; with --watch, until it has come to its end. */
export const runStatus: Run = async (context) => {
  const given = readArguments(context.args, {
    flags: ['timeout'],
    switches: ['watch', 'json'],
    positionals: ['PAYMENT_ID'],
  })
  const [paymentId = ''] = given.positionals
  const timeoutSeconds = secondsFrom('timeout', given.flag('timeout'), WATCH_SECONDS)
  const json = given.has('json')
  return await withClient(context, json, async (florin, signal) => {
    let payment = await florin.payments.status(paymentId, { signal })
    if (given.has('watch')) {
      try {
        payment = await watch(payment)
      } catch (error) {
        if (!(error instanceof FlorinError)) throw error
        return tellFailure(error, context, { json, paymentId })
      }
    }
    const text = json
      ? `${JSON.stringify(payment)}\n`
      : paymentText(payment, await readAssetNames(florin, signal))
    context.print(text)
    return given.has('watch') && ['failed', 'expired'].includes(payment.status)
      ? EXIT.ended
      : EXIT.done

    async function watch(first: PaymentRecord): Promise<PaymentRecord> {
      const progress = json ? undefined : openProgressLine(context, first.createdAt)
      let newest = first
      const onLook = (seen: PaymentRecord) => {
        newest = seen
        progress?.look(seen)
      }
      try {
        return await florin.payments.wait(paymentId, { timeoutSeconds, signal, onLook })
      } catch (error) {
        // That it failed is what was asked for, and stands in the record.
        if (error instanceof FlorinError && error.code === 'PAYMENT_ENDED') return newest
        throw error
      } finally {
        progress?.end()
      }
    }
  })
}
