import { FlorinError } from '@florin/sdk'
import type { PaymentRecord } from '@florin/sdk'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { UsageError } from '../usage-error.ts'
import { readAssetNames } from './asset-names.ts'
import { buy } from './buy.ts'
import { choosePayer } from './choose-payer.ts'
import { EXIT } from './exit-code.ts'
import { ownKeyFile, payOwn } from './pay-own.ts'
import { paymentText } from './payment-text.ts'
import { openProgressLine } from './progress-line.ts'
import { secondsFrom } from './seconds.ts'
import { tellFailure } from './tell-failure.ts'
import { shortened, visible } from './visible.ts'
import { withClient } from './with-client.ts'

const WAITS = ['submitted', 'confirmed', 'settled'] as const
const TIMEOUT_SECONDS = 120

/** `florin pay`: pays once and shows how far it has come. */
export const runPay: Run = async (context) => {
  if (context.args.some((arg) => /^https?:\/\//i.test(arg))) return buy(context)
  const given = readArguments(context.args, {
    flags: ['asset', 'from', 'network', 'wait', 'timeout', 'idempotency-key', 'keyfile', 'max-fee'],
    switches: ['json', 'self-custody'],
    positionals: ['RECIPIENT', 'AMOUNT'],
  })
  const [recipientAddress = '', amount = ''] = given.positionals
  if (!/^\d+(\.\d+)?$/.test(amount)) {
    throw new UsageError(`AMOUNT must be a decimal number such as 2.5, not "${amount}"`)
  }
  const wanted = given.flag('wait') ?? 'confirmed'
  const wait = WAITS.find((known) => known === wanted)
  if (wait === undefined) throw new UsageError(`--wait must be one of ${WAITS.join(', ')}`)
  const timeoutSeconds = secondsFrom('timeout', given.flag('timeout'), TIMEOUT_SECONDS)
  const [json, asset] = [given.has('json'), given.flag('asset') ?? 'native']
  const path = ownKeyFile(given)
  const [network, idempotencyKey] = [given.flag('network'), given.flag('idempotency-key')]
  const maxFee = given.flag('max-fee')
  return await withClient(context, json, async (florin, signal) => {
    const order = { recipientAddress, amount, asset, network }
    let chosenWallet: string | undefined
    const send = async () => {
      if (path !== undefined) {
        return await payOwn(florin, order, { path, signal, idempotencyKey, maxFee })
      }
      if (given.flag('from') === undefined) {
        const family = recipientAddress.startsWith('0x') ? 'evm' : 'solana'
        const order = { family, recipient: recipientAddress } as const
        chosenWallet = (await choosePayer(florin, order, signal)).address
      }
      const walletAddress = given.flag('from') ?? chosenWallet ?? ''
      return await florin.payments.send(
        { ...order, walletAddress, waitFor: 'submitted' },
        { signal, idempotencyKey },
      )
    }
    const names = await readAssetNames(florin, signal)
    const startedAt = Date.now()
    const sent = await send().catch((error: unknown) => {
      if (!(error instanceof FlorinError && error.outcomeUnknown)) throw error
      return tellFailure(error, context, { json, chosenWallet })
    })
    if (typeof sent === 'number') return sent
    const { paymentId } = sent
    if (!json) {
      const [from, to] = [shortened(sent.sender), shortened(sent.recipient)]
      const money = `${sent.amount} ${names(sent.network, sent.asset)}`
      context.note(
        visible(`${money} from ${from} to ${to} on ${sent.network}: ${paymentId}`) + '\n',
      )
    }
    try {
      const payment = await look()
      context.print(json ? `${JSON.stringify(payment)}\n` : paymentText(payment, names))
      return EXIT.done
    } catch (error) {
      if (!(error instanceof FlorinError)) throw error
      return tellFailure(error, context, { json, paymentId })
    }

    async function look(): Promise<PaymentRecord> {
      if (wait === undefined || wait === 'submitted') {
        return await florin.payments.status(paymentId, { signal })
      }
      const progress = json ? undefined : openProgressLine(context, startedAt)
      const options = { until: wait, timeoutSeconds, signal, onLook: progress?.look }
      return await florin.payments.wait(paymentId, options).finally(() => progress?.end())
    }
  })
}
