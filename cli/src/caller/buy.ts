import { FlorinError, newIdempotencyKey } from '@florin/sdk'
import type { CommandContext } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { CommandFailed } from '../usage-error.ts'
import { readCeiling } from './ceiling.ts'
import { choosePayer } from './choose-payer.ts'
import { EXIT } from './exit-code.ts'
import { howToRepeat } from './how-to-repeat.ts'
import { isDelivered } from './is-delivered.ts'
import { tellFailure } from './tell-failure.ts'
import { factLines, visible } from './visible.ts'
import { withClient } from './with-client.ts'

const BODY_SHOWN_CHARACTERS_MAX = 4_000

/** `florin pay URL`: asks a seller of x402, pays what it wants, and shows what it gave. */
export async function buy(context: CommandContext): Promise<number> {
  const given = readArguments(context.args, {
    flags: ['max', 'asset', 'from', 'network', 'idempotency-key'],
    switches: ['json'],
    positionals: ['URL'],
  })
  const [url = ''] = given.positionals
  const json = given.has('json')
  const { asset, maxAmount } = readCeiling(given)
  const network = given.flag('network')
  // Made here, so that it can be named: once the seller has taken the money, the same command without it would pay anew.
  const idempotencyKey = given.flag('idempotency-key') ?? newIdempotencyKey()
  return withClient(context, json, async (florin, signal) => {
    const family = network?.startsWith('solana') === true ? 'solana' : 'evm'
    const chosenWallet =
      given.flag('from') === undefined
        ? (await choosePayer(florin, { family }, signal)).address
        : undefined
    const walletAddress = given.flag('from') ?? chosenWallet ?? ''
    const order = { walletAddress, url, maxAmount, asset, network }
    const options = { signal, idempotencyKey }
    const answer = await florin.payments.fetch(order, options).catch((error: unknown) => {
      if (!json && isSellerAway(error)) throw sellerAway(url, error)
      if (!(error instanceof FlorinError && error.outcomeUnknown)) throw error
      return tellFailure(error, context, { json, chosenWallet })
    })
    if (typeof answer === 'number') return answer
    const { paid, amount, payment, response } = answer
    const isGiven = isDelivered(answer)
    const isOpen = !isGiven && paid !== false
    if (json) context.print(`${JSON.stringify({ ...answer, idempotencyKey })}\n`)
    else {
      const facts = factLines([
        ['seller', url],
        [
          'answer',
          response === null ? `none: ${answer.problem ?? 'unknown'}` : `${response.status}`,
        ],
        ['paid', PAID[String(paid)]?.(amount, asset)],
        ['payment', payment?.paymentId],
        ['status', payment?.status],
        ['transaction', payment?.signature ?? undefined],
        ['next', isOpen ? howToRepeat(idempotencyKey, chosenWallet) : undefined],
      ])
      context.note(facts)
      if (response !== null) context.print(`${shown(response.body, response.bodyEncoding)}\n`)
    }
    if (isGiven) return EXIT.done
    return isOpen ? EXIT.open : EXIT.refused
  })
}

/** Nobody listens there, and no try before may have signed anything. */
function isSellerAway(error: unknown): boolean {
  if (!(error instanceof FlorinError) || error.outcomeUnknown) return false
  return error.code === 'NETWORK_ERROR' && error.details?.['reason'] === 'not_connected'
}

function sellerAway(url: string, cause: unknown): CommandFailed {
  const text = `nobody answers at ${visible(url)}. Nothing was signed. Check the address, and whether the seller runs.`
  return new CommandFailed(text, { cause })
}

const PAID: Readonly<Record<string, (amount: string, asset: string) => string>> = {
  true: (amount, asset) => `${amount} ${asset}`,
  false: () => 'nothing',
  unknown: (amount, asset) => `${amount} ${asset} signed, not seen on chain yet`,
}

function shown(body: string, encoding: 'utf8' | 'base64'): string {
  if (encoding === 'base64') return `(${body.length} characters of base64)`
  const text = body
    .slice(0, BODY_SHOWN_CHARACTERS_MAX)
    .split('\n')
    .map((line) => visible(line))
    .join('\n')
  return body.length > BODY_SHOWN_CHARACTERS_MAX ? `${text}\n(cut here)` : text
}
