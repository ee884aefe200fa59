import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { paywall } from '@florin/sdk'
import { isBlockedPort } from '@florin/wire/fetch-ports.ts'
import type { Run } from '../command.ts'
import { readArguments } from '../read-arguments.ts'
import { CommandFailed, UsageError } from '../usage-error.ts'
import { checkSellable } from './check-sellable.ts'
import { EXIT } from './exit-code.ts'
import { ownReceiver } from './own-receiver.ts'
import { shortened, visible } from './visible.ts'
import { withClient } from './with-client.ts'

const AMOUNT_DEFAULT = '0.01'
const PATH = '/report'
const PORT_MAX = 65_535

/** `florin paywall`: a shop on loopback that sells one page, until Ctrl-C. */
export const runPaywall: Run = async (context) => {
  const given = readArguments(context.args, {
    flags: ['amount', 'asset', 'network', 'pay-to', 'port'],
    switches: ['json'],
  })
  const amount = given.flag('amount') ?? AMOUNT_DEFAULT
  if (!/^\d+(\.\d+)?$/.test(amount)) {
    throw new UsageError(`--amount must be a decimal number such as 0.01, not "${amount}"`)
  }
  const port = portFrom(given.flag('port'))
  const [json, asset] = [given.has('json'), given.flag('asset') ?? 'USDC']
  return withClient(context, json, async (florin, signal) => {
    const networks = await florin.networks.list({ signal })
    const network = given.flag('network') ?? networks[0]?.network
    if (network === undefined) throw new CommandFailed('the service has no network')
    checkSellable(networks, { network, asset })
    const payTo =
      given.flag('pay-to') ??
      (await ownReceiver(florin, { network, asset }, { signal, note: context.note }))
    const say = (event: object, text: string) =>
      context.print(json ? `${JSON.stringify(event)}\n` : `${visible(text)}\n`)
    const wall = paywall(florin, {
      ...{ amount, asset, network, payTo },
      description: 'A report of the demo shop',
      onPaid: ({ paymentId, payer, transaction }) =>
        say(
          { event: 'paid', paymentId, payer, transaction },
          `sold to ${shortened(payer ?? 'somebody')} for ${amount} ${asset}: ${paymentId ?? transaction}`,
        ),
      onUndelivered: ({ paymentId }, reason) =>
        say(
          { event: 'undelivered', paymentId, reason },
          `not delivered: ${reason} (${paymentId ?? 'unknown'})`,
        ),
    })
    const server = createServer((request, response) => {
      // What is no address, as `//`, may not end the shop.
      const address = URL.parse(request.url ?? '/', 'http://shop')
      if (address?.pathname !== PATH) return welcome(response)
      wall(request, response, () => sell(request, response)).catch(() => response.destroy())
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', () =>
        reject(new CommandFailed(`nothing can listen at 127.0.0.1:${port}. Try another --port.`)),
      )
      server.listen(port, '127.0.0.1', resolve)
    })
    const url = `http://127.0.0.1:${addressOf(server.address())}${PATH}`
    // As it was told here: whoever buys would be asked for its own default else.
    const buying = ['network', 'asset'].flatMap((name) => {
      const text = given.flag(name)
      return text === undefined ? [] : [` --${name} ${text}`]
    })
    say(
      { event: 'open', url, amount, asset, network, payTo },
      `${url} costs ${amount} ${asset}. Buy it: npx florin pay ${url}${buying.join('')}`,
    )
    await ended(signal)
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    return EXIT.done
  })
}

function sell(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify({ report: 'Sales are up.', soldAt: new Date().toISOString() }))
}

function welcome(response: ServerResponse): void {
  response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
  response.end(`What is sold here is at ${PATH}.\n`)
}

function portFrom(text = '0'): number {
  const port = Number(text)
  if (!/^\d{1,5}$/.test(text) || port > PORT_MAX) {
    throw new UsageError(`--port must be 0 to ${PORT_MAX}, not "${text}"`)
  }
  if (isBlockedPort(port)) {
    throw new UsageError(
      `--port must not be ${port}: fetch refuses to connect there, so nobody could buy`,
    )
  }
  return port
}

function addressOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
