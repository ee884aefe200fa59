import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Florin, FlorinError, payingFetch } from '@florin/sdk'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FLORIN, runFlorin, spawnFlorin } from './actors/florin.ts'
import type { World } from './actors/world.ts'
import { openWorld, walletOf } from './actors/world.ts'

/** Where no sandbox is: these commands must not need one. */
const NOWHERE = join(tmpdir(), 'florin-is-not-here')
const example = (name: string) => fileURLToPath(new URL(`../examples/${name}`, import.meta.url))
const ready = () => ({ signal: AbortSignal.timeout(100_000) })

let world: World
beforeAll(async () => {
  world = await openWorld()
})
afterAll(() => world.stop())

const environment = () => {
  const { baseUrl, apiKeys } = world.service()
  return { FLORIN_BASE_URL: baseUrl, FLORIN_API_KEY: apiKeys.enterprise }
}
const client = () => {
  const { FLORIN_BASE_URL: baseUrl, FLORIN_API_KEY: apiKey } = environment()
  return new Florin({ baseUrl, apiKey })
}

test('the examples of selling and buying run: one sells, the other pays and has it', async () => {
  const payTo = world.newAddress()
  const seller = spawn(process.execPath, [FLORIN, 'exec', example('seller.ts')], {
    env: { ...environment(), FLORIN_WALLET_EVM_2: payTo },
  })
  try {
    const [url] = (await once(createInterface({ input: seller.stdout }), 'line', ready())) as [
      string,
    ]
    const buyer = spawn(process.execPath, [FLORIN, 'exec', example('buyer.ts')], {
      env: { ...environment(), FLORIN_WALLET_EVM_1: walletOf(world), SHOP_URL: url },
    })
    let output = ''
    for (const stream of [buyer.stdout, buyer.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
    }
    await once(buyer, 'close')
    expect(output).toMatch(/^200 Sales are up\.\npaid: (true|unknown) pay_\w{22}\n$/)
    expect(await world.balanceOf(payTo, 'USDC')).toBe(10_000n)
  } finally {
    seller.kill()
  }
})

test('florin paywall sells, and florin pay buys there once', async () => {
  const payTo = world.newAddress()
  const shop = spawnFlorin(['paywall', '--pay-to', payTo, '--json'], NOWHERE, environment())
  try {
    if (shop.child.stdout === null) throw new Error('a shop without output')
    const [line] = (await once(createInterface({ input: shop.child.stdout }), 'line', ready())) as [
      string,
    ]
    const { url } = JSON.parse(line) as { url: string }
    // An address that no parser takes is a visit like another.
    expect((await fetch(`${new URL(url).origin}//`)).status).toBe(404)
    const dear = await runFlorin(['pay', url, '--max', '0.001'], NOWHERE, environment())
    expect(dear).toMatchObject({ code: 1, stdout: '' })
    expect(dear.stderr).toMatch(/POLICY_REFUSED/)
    const bought = await runFlorin(['pay', url, '--from', walletOf(world)], NOWHERE, environment())
    expect(bought).toMatchObject({ code: 0 })
    expect(bought.stdout).toContain('"report":"Sales are up."')
    expect(bought.stderr).toMatch(/paid +0\.01 USDC/)
    const order = ['pay', url, '--json', '--idempotency-key', 'again']
    const json = await runFlorin(order, NOWHERE, environment())
    expect(JSON.parse(json.stdout)).toMatchObject({ response: { status: 200 } })
    expect(await world.balanceOf(payTo, 'USDC')).toBe(20_000n)
  } finally {
    shop.child.kill('SIGINT')
  }
  expect((await shop.ended).code).toBe(0)
})

test('a paying fetch pays nowhere that is not allowed, and never above its ceiling', async () => {
  const pay = payingFetch(client(), {
    walletAddress: walletOf(world),
    ceiling: '0.01',
    allow: ['https://shop.example/v1'],
  })
  const elsewhere = [
    'https://shop.example.evil.example/v1',
    'https://shop.example/v10',
    'http://shop.example/v1',
    'https://user@shop.example/v1',
    'https://shop.example/v1/%2e%2e%2fadmin',
  ]
  for (const url of elsewhere) {
    const refused: unknown = await pay(url).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(FlorinError)
    expect(refused).toMatchObject({ code: 'POLICY_REFUSED', tries: 0 })
  }
})
