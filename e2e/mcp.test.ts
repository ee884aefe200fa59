import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '@florin/server/kernel/until.ts'
import { FLORIN, spawnFlorin } from './actors/florin.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

/** Where no sandbox is: what the agent's host gives it must be enough. */
const NOWHERE = join(tmpdir(), 'florin-is-not-here')
const PRICE = 10_000n
const SOON = { seconds: 60 }

interface AgentOptions {
  readonly env: Readonly<Record<string, string>>
  /** `legacy`: as hosts of 2025 open it. */
  readonly protocol: 'legacy' | { readonly pin: string }
}

interface Called {
  readonly isError: boolean
  readonly facts: Readonly<Record<string, unknown>>
  readonly texts: readonly string[]
}

describe('an agent that pays by the Model Context Protocol', () => {
  let world: World
  let shop: ReturnType<typeof spawnFlorin>
  let shopUrl = ''
  let payTo = ''
  beforeAll(async () => {
    world = await openWorld()
    payTo = world.newAddress()
    shop = spawnFlorin(['paywall', '--pay-to', payTo, '--json'], NOWHERE, environment())
    if (shop.child.stdout === null) throw new Error('a shop without output')
    const lines = createInterface({ input: shop.child.stdout })
    const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(100_000) })) as [string]
    shopUrl = (JSON.parse(line) as { url: string }).url
  })
  afterAll(async () => {
    shop.child.kill('SIGINT')
    await world.stop()
  })

  const environment = () => {
    const { baseUrl, apiKeys } = world.service()
    return { FLORIN_BASE_URL: baseUrl, FLORIN_API_KEY: apiKeys.enterprise }
  }

  /** The stock client, and the command as a process of its own, as an agent's host starts it. */
  async function agent(
    args: readonly string[],
    { env = {}, protocol = 'legacy' }: Partial<AgentOptions> = {},
  ) {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [FLORIN, 'mcp', ...args],
      env: { FLORIN_DATA_DIR: NOWHERE, PATH: process.env['PATH'] ?? '', ...environment(), ...env },
      stderr: 'pipe',
    })
    let noted = ''
    transport.stderr?.on('data', (chunk: Buffer) => (noted += chunk.toString()))
    const client = new Client(
      { name: 'an agent', version: '1.0.0' },
      { versionNegotiation: { mode: protocol } },
    )
    await client.connect(transport)
    return {
      client,
      noted: () => noted,
      pid: transport.pid ?? 0,
      call: async (name: string, given: Readonly<Record<string, unknown>>): Promise<Called> => {
        const { isError, structuredContent, content } = await client.callTool({
          name,
          arguments: { ...given },
        })
        return {
          isError: isError === true,
          facts: (structuredContent ?? {}) as Readonly<Record<string, unknown>>,
          texts: content.flatMap((each) => (each.type === 'text' ? [each.text] : [])),
        }
      },
    }
  }

  test.each([
    { revision: 'of 2025', protocol: 'legacy' as const },
    { revision: '2026-07-28', protocol: { pin: '2026-07-28' } },
  ])('buys from a seller once, however often it asks, by revision $revision', async (era) => {
    const { protocol, revision } = era
    const { client, call, noted } = await agent(['--wallets', walletOf(world)], { protocol })
    try {
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual([
        'buy',
        'payment_status',
        'list_wallets',
        'search_sellers',
      ])
      const order = { url: shopUrl, idempotencyKey: `report-${revision.replaceAll(' ', '-')}` }
      const before = await world.balanceOf(payTo, 'USDC')
      const bought = await call('buy', order)
      expect(bought).toMatchObject({
        isError: false,
        facts: { amount: '0.01', asset: 'USDC', seller: { status: 200 } },
      })
      expect(bought.texts.join('\n')).toContain('Sales are up.')
      const again = await call('buy', order)
      expect(again.facts).toMatchObject({ paymentId: bought.facts['paymentId'] })
      expect(again.texts.join('\n')).toContain('Sales are up.')
      const { paymentId } = bought.facts
      await until(
        'the payment is in a block',
        async () => (await call('payment_status', { paymentId })).facts['status'] !== 'pending',
        SOON,
      )
      expect(await world.balanceOf(payTo, 'USDC')).toBe(before + PRICE)
      const { facts } = await call('list_wallets', {})
      expect(facts['wallets']).toMatchObject([
        { address: walletOf(world), available: [{ symbol: 'USDC' }] },
      ])
      expect(noted()).toBe('')
    } finally {
      await client.close()
    }
  })

  test('pays no more than its host allows, whatever it asks for', async () => {
    const { client, call } = await agent(['--max', '0.005'])
    try {
      const before = await world.balanceOf(payTo, 'USDC')
      const dear = await call('buy', { url: shopUrl, idempotencyKey: 'dear-1' })
      expect(dear).toMatchObject({ isError: true, facts: { error: { code: 'POLICY_REFUSED' } } })
      const more = await call('buy', { url: shopUrl, idempotencyKey: 'dear-2', maxAmount: '0.02' })
      expect(more).toMatchObject({ isError: true })
      expect(more.texts.join('')).toContain('one call may pay 0.005 USDC at most here, not 0.02')
      const send = call('send_payment', { recipientAddress: payTo, amount: '0.001' })
      await expect(send).rejects.toThrow('send_payment')
      expect(await world.balanceOf(payTo, 'USDC')).toBe(before)
    } finally {
      await client.close()
    }
  })

  test('pays an address where its host says that it may, from the wallets that it names', async () => {
    const wallets = walletOf(world)
    const { client, call } = await agent(['--send', '--max', '1', '--wallets', wallets])
    try {
      const recipientAddress = world.newAddress()
      const order = { recipientAddress, amount: '0.25', idempotencyKey: 'rent-1' }
      const sent = await call('send_payment', order)
      expect(sent).toMatchObject({ isError: false, facts: { status: 'confirmed', amount: '0.25' } })
      expect((await call('send_payment', order)).facts).toMatchObject({
        paymentId: sent.facts['paymentId'],
      })
      expect(await world.balanceOf(recipientAddress, 'USDC')).toBe(250_000n)
      const other = await call('send_payment', {
        ...{ ...order, idempotencyKey: 'rent-2' },
        walletAddress: walletOf(world, 1),
      })
      expect(other.texts.join('')).toContain('may not pay here')
      const noKey = await call('send_payment', { recipientAddress, amount: '0.25' })
      expect(noKey.isError).toBe(true)
      expect(await world.balanceOf(recipientAddress, 'USDC')).toBe(250_000n)
    } finally {
      await client.close()
    }
  })

  test('a service that is away is told in words', async () => {
    const { client, call } = await agent([], { env: { FLORIN_BASE_URL: 'http://127.0.0.1:9' } })
    try {
      const lost = await call('payment_status', { paymentId: 'pay_8b3idbpKD1tcetHrymSYRN' })
      expect(lost).toMatchObject({ isError: true, facts: { error: { code: 'NO_ANSWER' } } })
    } finally {
      await client.close()
    }
  })

  test('killed while it buys, it is asked again by the same name and pays once', async () => {
    const order = { url: shopUrl, idempotencyKey: 'cut-off-1' }
    const before = await world.balanceOf(payTo, 'USDC')
    const first = await agent([])
    const lost = first.call('buy', order).then(
      () => 'answered',
      () => 'lost',
    )
    await until(
      'the purchase is stored',
      async () => {
        const rows = await world.database.store.query(
          'mcp_test_begun',
          'select from idempotency_keys where key = $1',
          [order.idempotencyKey],
        )
        return rows.length > 0
      },
      SOON,
    )
    process.kill(first.pid, 'SIGKILL')
    expect(['answered', 'lost']).toContain(await lost)
    const second = await agent([])
    try {
      const bought = await second.call('buy', order)
      expect(bought.texts.join('\n')).toContain('Sales are up.')
      const { paymentId } = bought.facts
      await until(
        'the payment is in a block',
        async () =>
          (await second.call('payment_status', { paymentId })).facts['status'] !== 'pending',
        SOON,
      )
      expect(await world.balanceOf(payTo, 'USDC')).toBe(before + PRICE)
    } finally {
      await second.client.close()
    }
  })

  test('ends by itself when its host closes its input, and has printed no key', async () => {
    const child = spawn(process.execPath, [FLORIN, 'mcp'], {
      env: { ...process.env, FLORIN_DATA_DIR: NOWHERE, ...environment() },
      stdio: 'pipe',
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()))
    }
    const closed = once(child, 'close', { signal: AbortSignal.timeout(60_000) })
    const ping = { jsonrpc: '2.0', id: 1, method: 'ping' }
    child.stdin.write(`${JSON.stringify(ping)}\n`)
    await until('it has answered', () => printed.includes('"id":1'), SOON)
    child.stdin.end()
    expect(await closed).toEqual([0, null])
    expect(printed).not.toContain(environment().FLORIN_API_KEY)
  })
})
