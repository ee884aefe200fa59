import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { Florin, FlorinError } from '@florin/sdk'
import { until } from '@florin/server/kernel/until.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FLORIN, runFlorin, spawnFlorin } from './actors/florin.ts'
import { openWorld, walletOf } from './actors/world.ts'
import type { World } from './actors/world.ts'

const EXAMPLE = fileURLToPath(new URL('../examples/send.ts', import.meta.url))
const TRADE_EXAMPLE = fileURLToPath(new URL('../examples/trade.ts', import.meta.url))
/** Where no sandbox is: these commands must not need one. */
const NOWHERE = join(tmpdir(), 'florin-is-not-here')

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const access = () => {
  const { baseUrl, apiKeys } = world.service()
  return { baseUrl, apiKey: apiKeys.enterprise }
}
const environment = () => ({
  FLORIN_BASE_URL: access().baseUrl,
  FLORIN_API_KEY: access().apiKey,
})
const florin = (...args: string[]) => runFlorin(args, NOWHERE, environment())

/** Hands every request on, and loses the answers to those that pay. */
async function openLossyProxy(target: string) {
  const server = createServer((request, response) => {
    const { method = 'GET', url = '', headers } = request
    void buffer(request).then(async (body) => {
      const { authorization = '', 'idempotency-key': key = '' } = headers
      const kept = {
        authorization,
        'idempotency-key': String(key),
        'content-type': 'application/json',
      }
      const answer = await fetch(target + url, {
        ...{ method, headers: kept },
        ...(method === 'GET' ? {} : { body: new Uint8Array(body) }),
      })
      const text = await answer.text()
      if (method === 'POST') response.destroy()
      else response.writeHead(answer.status).end(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const close = () => void server.close()
  return { baseUrl: `http://127.0.0.1:${port}`, close }
}

describe('the client', () => {
  test('pays once when the answers to its requests are lost after the service acted', async () => {
    const recipientAddress = world.newAddress()
    const keys: (string | null)[] = []
    const client = new Florin({
      ...access(),
      fetch: async (url, init) => {
        const response = await fetch(url, init)
        if (init?.method !== 'POST') return response
        await response.text()
        keys.push(new Headers(init.headers).get('idempotency-key'))
        if (keys.length <= 3) throw new TypeError('fetch failed')
        return await fetch(url, init)
      },
    })
    const order = {
      walletAddress: walletOf(world),
      recipientAddress,
      amount: '0.123456',
      asset: 'USDC',
    }
    const sent = await client.payments.send(order)
    expect(sent).toMatchObject({
      amount: '0.123456',
      amountBaseUnits: '123456',
      status: 'confirmed',
    })
    expect(new Set(keys).size).toBe(1)
    expect(keys).toHaveLength(4)
    const payment = await client.payments.wait(sent.paymentId)
    expect(payment).toMatchObject({ status: 'settled', signature: sent.signature })
    expect(await world.balanceOf(recipientAddress, 'USDC')).toBe(123_456n)
    const { payments } = await client.payments.find({ signature: payment.signature ?? '' })
    expect(payments.map(({ paymentId }) => paymentId)).toEqual([sent.paymentId])
  })

  test('reads money digit by digit', async () => {
    const client = new Florin(access())
    const recipientAddress = world.newAddress()
    const amount = '1.000000000000000001'
    const order = { walletAddress: walletOf(world), recipientAddress, amount }
    const sent = await client.payments.send({ ...order, metadata: { amount: 0.5 } })
    expect(sent).toMatchObject({ amount, amountBaseUnits: '1000000000000000001' })
    expect(sent.metadata).toEqual({ amount: 0.5 })
    const { balances } = await client.wallets.get(walletOf(world))
    const native = balances.find(({ asset }) => asset === 'native')
    expect(native?.amount).toMatch(/^4\d\.\d{9,18}$/)
  })

  test('reads a history to its end, page by page', async () => {
    const client = new Florin(access())
    const [walletAddress, recipientAddress] = [walletOf(world, 1), world.newAddress()]
    const ids: string[] = []
    for (const amount of ['0.001', '0.002', '0.003']) {
      const order = { walletAddress, recipientAddress, amount, waitFor: 'submitted' } as const
      ids.unshift((await client.payments.send(order)).paymentId)
    }
    const seen: string[] = []
    const history = client.payments.history(walletAddress, { type: 'sent', limit: 1 })
    for await (const { paymentId } of history) seen.push(paymentId)
    expect(seen).toEqual(ids)
  })

  test('tells every fact of a refusal', async () => {
    const order = { walletAddress: walletOf(world), recipientAddress: '0x12', amount: '1' }
    const refusal: unknown = await new Florin(access()).payments
      .send(order)
      .catch((e: unknown) => e)
    expect(refusal).toBeInstanceOf(FlorinError)
    expect(refusal).toMatchObject({
      ...{ code: 'INVALID_RECIPIENT', status: 400, outcomeUnknown: false, tries: 1 },
      docs: `${access().baseUrl}/docs/errors/INVALID_RECIPIENT`,
      requestId: expect.stringMatching(/^req_/),
    })
  })

  test('knows what x402 can be settled here, and which networks there are', async () => {
    const client = new Florin(access())
    const [network] = await client.networks.list()
    expect(network).toMatchObject({ network: world.sandbox.network, sandbox: true })
    expect((await client.x402.supported()).kinds.length).toBeGreaterThan(0)
  })
})

describe('the commands', () => {
  test('pay, then status and history tell the same payment', async () => {
    const recipient = world.newAddress()
    const order = ['pay', recipient, '2.5', '--asset', 'USDC', '--wait', 'settled']
    const paid = await florin(...order, '--idempotency-key', 'invoice-77', '--json')
    expect(paid).toMatchObject({ code: 0, stderr: '' })
    const payment = JSON.parse(paid.stdout)
    expect(payment).toMatchObject({ status: 'settled', amount: '2.5', recipient })
    const again = await florin(...order, '--idempotency-key', 'invoice-77')
    expect(again.code).toBe(0)
    expect(again.stdout).toContain(payment.paymentId)
    expect(again.stdout).toMatch(/amount +2\.5 USDC\n/)
    expect(again.stdout).not.toContain('roof')
    expect(again.stderr).toMatch(/^2\.5 USDC from .*\nsettled +\d+\.\d s\n$/)
    expect(await world.balanceOf(recipient, 'USDC')).toBe(2_500_000n)

    const status = await florin('status', payment.paymentId, '--watch', '--json')
    expect(JSON.parse(status.stdout)).toMatchObject({ status: 'settled' })
    const history = await florin('history', walletOf(world), '--limit', '1')
    const [head, ...rows] = history.stdout.trimEnd().split('\n')
    expect(head).toMatch(/^UTC +TYPE +AMOUNT +ASSET +STATUS +WITH +PAYMENT$/)
    expect(rows).toEqual([
      expect.stringMatching(new RegExp(`sent +2\\.5 +USDC +settled .*${payment.paymentId}$`)),
    ])
    for (const { stdout, stderr } of [paid, again, status, history]) {
      expect(stdout + stderr).not.toContain(access().apiKey)
    }
  })

  test('history says when there is more, and takes a type', async () => {
    const { stdout, stderr } = await florin(
      'history',
      walletOf(world, 1),
      '--type',
      'sent',
      '--limit',
      '2',
    )
    expect(stdout.split('\n')).toHaveLength(4)
    expect(stderr).toBe('There is more: --limit 4\n')
    const json = await florin(
      'history',
      walletOf(world, 1),
      '--type',
      'sent',
      '--limit',
      '2',
      '--json',
    )
    expect(JSON.parse(json.stdout)).toMatchObject({
      hasMore: true,
      payments: [{ type: 'sent' }, {}],
    })
  })

  test('wallets shows what can be spent', async () => {
    const { code, stdout } = await florin('wallets')
    expect(code).toBe(0)
    expect(stdout).toMatch(new RegExp(`${walletOf(world)} +evm .* ETH, [\\d.]+ USDC`))
  })

  test.each([
    [['pay', '0x12', '1'], 1, /INVALID_RECIPIENT.*\(recipientAddress: .*\n +next .*\n +docs +http/],
    [['status', 'pay_1111111111111111111111'], 1, /NOT_FOUND/],
    [['pay', '0x12', 'much'], 2, /AMOUNT must be a decimal number/],
    [['pay', '0x12'], 2, /AMOUNT is missing/],
    [['history', '0x12', '--limit', '0'], 2, /--limit must be from 1/],
    [['pay', '0x12', '1', '--wait', 'forever'], 2, /--wait must be one of/],
  ])('%j ends with %i and a way on', async (args, code, reason) => {
    const ended = await florin(...args)
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(reason)
  })

  test('a payment whose answers are all lost has an exit code of its own, and its advice pays once', async () => {
    const [recipient, proxy] = [world.newAddress(), await openLossyProxy(access().baseUrl)]
    const order = ['pay', recipient, '0.25', '--asset', 'USDC', '--wait', 'settled']
    const lossy = { ...environment(), FLORIN_BASE_URL: proxy.baseUrl }
    const lost = await runFlorin(order, NOWHERE, lossy).finally(proxy.close)
    expect(lost).toMatchObject({ code: 3, stdout: '' })
    expect(lost.stderr).toMatch(/^florin: NO_ANSWER: .*\n +next +It may have been paid\./)
    const [, advice = ''] = /with (--idempotency-key \S+ --from \w+):/.exec(lost.stderr) ?? []
    expect(await florin(...order, ...advice.split(' '))).toMatchObject({ code: 0 })
    expect(await world.balanceOf(recipient, 'USDC')).toBe(250_000n)
  })

  test('interrupted while it waits, a payment goes on and is named', async () => {
    const order = ['pay', world.newAddress(), '0.5', '--wait', 'settled']
    const { child, ended } = spawnFlorin(order, NOWHERE, environment())
    let note = ''
    child.stderr?.on('data', (chunk: Buffer) => (note += chunk.toString()))
    await until('it has paid', () => note.includes('pay_'), { seconds: 60 })
    child.kill('SIGINT')
    const { code, stderr } = await ended
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /ABORTED.*\n +next +The payment goes on .*florin status pay_\w{22} --watch/,
    )
  })

  test('without a sandbox or a service they say what to start or to set', async () => {
    const alone = await runFlorin(['wallets'], NOWHERE)
    expect(alone).toMatchObject({ code: 1, stdout: '' })
    expect(alone.stderr).toMatch(
      /no sandbox runs in .*npm start.*FLORIN_BASE_URL and FLORIN_API_KEY/,
    )
    const half = await runFlorin(['wallets'], NOWHERE, { FLORIN_API_KEY: 'florin_test_half' })
    expect(half.stderr).toContain('FLORIN_API_KEY is set and FLORIN_BASE_URL is not')
    expect(half.stderr).not.toContain('florin_test_half')
  })
})

/** Runs an example as its first lines say, with two wallets; gives back what it printed. */
async function runExample(file: string, [one, two]: readonly [string, string]): Promise<string> {
  const child = spawn(process.execPath, [FLORIN, 'exec', file], {
    env: { ...environment(), FLORIN_WALLET_EVM_1: one, FLORIN_WALLET_EVM_2: two },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  }
  await once(child, 'close')
  return output
}

test('the example of trading runs, twice, and trades once', async () => {
  const wallet = walletOf(world, 1)
  const [first, second] = [
    await runExample(TRADE_EXAMPLE, [wallet, wallet]),
    await runExample(TRADE_EXAMPLE, [wallet, wallet]),
  ]
  expect(first).toMatch(/bought [0-9.]+ at [0-9.]+\nsold [0-9.]+ for [0-9.]+\n$/)
  // Only the quote is asked anew.
  expect(second.split('\n').slice(1)).toEqual(first.split('\n').slice(1))
  const trades = await new Florin(access()).trade.history(wallet).next()
  expect(trades.value).toMatchObject({ side: 'sell' })
})

test('the example of sending runs, twice, and pays once', async () => {
  const recipient = world.newAddress()
  const wallets = [walletOf(world), recipient] as const
  const [first, second] = [await runExample(EXAMPLE, wallets), await runExample(EXAMPLE, wallets)]
  expect(first).toMatch(/^pay_\w{22} settled in block \d+\n$/)
  expect(second).toBe(first)
  expect(await world.balanceOf(recipient, 'USDC')).toBe(2_500_000n)
})
