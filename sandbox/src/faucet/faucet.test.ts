import { request } from 'node:http'
import { getBase58Decoder } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'

const NETWORK = 'eip155:84532'
const USDC = '0x036CbD53842c5426634e7929541eC2318f3dCF7e'
const SOLANA = 'solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1'
const SOLANA_USDC = '4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU'
const ADDRESS = '0x3333333333333333333333333333333333333333'
/** Reverts on every call. */
const REFUSES = '0x5f5ffd'

let sandbox: SandboxHandle
beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
})
afterAll(async () => {
  await sandbox.stop()
})

async function ask(body: unknown): Promise<{ status: number; json: unknown }> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const answer = await fetch(sandbox.faucetUrl, { method: 'POST', body: text })
  return { status: answer.status, json: await answer.json() }
}
const rpc = async (method: string, params: readonly unknown[]): Promise<unknown> =>
  await call(sandbox.rpcUrl, method, params)
const solana = async (method: string, params: readonly unknown[]): Promise<unknown> =>
  await call(sandbox.solana.rpcUrl, method, params)
const newSolanaAddress = (): string =>
  getBase58Decoder().decode(crypto.getRandomValues(new Uint8Array(32)))
const balanceOf = async (address: string, token: string): Promise<bigint> => {
  const data = `0x70a08231${address.slice(2).padStart(64, '0')}`
  return BigInt(String(await rpc('eth_call', [{ to: token, data }, 'latest'])))
}
async function call(url: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer: unknown = await (await fetch(url, { method: 'POST', body })).json()
  expect(answer).toHaveProperty('result')
  return typeof answer === 'object' && answer !== null && 'result' in answer ? answer.result : null
}

describe('POST /faucet', () => {
  test('pays 10 native by a mined transaction when nothing else is asked for', async () => {
    const { status, json } = await ask({ address: ADDRESS, network: NETWORK })
    expect(status).toBe(200)
    expect(json).toEqual({
      success: true,
      address: ADDRESS,
      network: NETWORK,
      asset: 'native',
      amount: '10',
      transactionHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    })
    expect(BigInt(String(await rpc('eth_getBalance', [ADDRESS, 'latest'])))).toBe(10n ** 19n)
  })

  test.each([
    ['USDC', undefined, 1_000_000_000n],
    ['usdc', '0.000001', 1n],
    [USDC, 2.5, 2_500_000n],
  ])('mints %s (%s) to the base unit', async (asset, amount, expected) => {
    const address = `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`
    const { json } = await ask({ address, network: NETWORK, asset, amount })
    expect(json).toMatchObject({ success: true, asset: USDC })
    expect(await balanceOf(address, USDC)).toBe(expected)
  })

  test('mints every token that is traded, by symbol or address, to the base unit', async () => {
    expect(sandbox.tokens.length).toBeGreaterThanOrEqual(3)
    for (const { mint, symbol, decimals } of sandbox.tokens) {
      const address = `0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`
      const whole = await ask({ address, network: NETWORK, asset: symbol, amount: '7' })
      expect(whole.json).toMatchObject({ success: true, asset: mint, amount: '7' })
      const amount = `0.${'1'.padStart(decimals, '0')}`
      const least = await ask({ address, network: NETWORK, asset: mint.toLowerCase(), amount })
      expect(least.json).toMatchObject({ success: true, asset: mint, amount })
      expect(await balanceOf(address, mint)).toBe(7n * 10n ** BigInt(decimals) + 1n)
    }
  })

  test('pays 150 orders that come at once, each once', async () => {
    const address = '0x4444444444444444444444444444444444444444'
    const paid = await Promise.all(
      Array.from({ length: 150 }, async () => await sandbox.fund(address, 'native', '1')),
    )
    expect(new Set(paid).size).toBe(150)
    expect(BigInt(String(await rpc('eth_getBalance', [address, 'latest'])))).toBe(150n * 10n ** 18n)
  })

  test.each([
    ['{', 'INVALID_PARAMETERS'],
    [{}, 'INVALID_PARAMETERS'],
    [{ address: '0x33' }, 'INVALID_PARAMETERS'],
    [{ address: '0xF39Fd6e51aad88F6F4ce6aB8827279cffFb92266' }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, network: 'eip155:1' }, 'UNSUPPORTED_NETWORK'],
    [{ address: ADDRESS, asset: 'DOGE' }, 'UNSUPPORTED_ASSET'],
    [{ address: ADDRESS, amount: 0 }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, amount: -1 }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, amount: '10001' }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, amount: '1e3' }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, asset: 'USDC', amount: '0.0000001' }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, asset: 'USDC', amount: '1000001' }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, colour: 'red' }, 'INVALID_PARAMETERS'],
    [{ address: ADDRESS, network: SOLANA }, 'INVALID_PARAMETERS'],
    [{ address: SOLANA_USDC, network: NETWORK }, 'INVALID_PARAMETERS'],
    [{ address: SOLANA_USDC, network: SOLANA, asset: USDC }, 'UNSUPPORTED_ASSET'],
    [{ address: SOLANA_USDC, network: SOLANA, amount: '0.0000000001' }, 'INVALID_PARAMETERS'],
    [{ address: SOLANA_USDC, network: SOLANA, amount: '10001' }, 'INVALID_PARAMETERS'],
  ])('%j is refused: %s', async (body, code) => {
    expect(await ask(body)).toMatchObject({
      status: 400,
      json: { success: false, error: { code } },
    })
  })

  test.each([
    [undefined, undefined, 'native', '10'],
    ['USDC', undefined, SOLANA_USDC, '1000'],
    [SOLANA_USDC, '0.000001', SOLANA_USDC, '0.000001'],
  ])('pays %s (%s) on Solana, where the next reader sees it', async (asset, amount, paid, sum) => {
    const address = newSolanaAddress()
    const { status, json } = await ask({ address, network: SOLANA, asset, amount })
    expect({ status, json }).toEqual({
      status: 200,
      json: {
        success: true,
        address,
        network: SOLANA,
        asset: paid,
        amount: sum,
        transactionHash: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{80,88}$/),
      },
    })
    const confirmed = { commitment: 'confirmed', encoding: 'jsonParsed' }
    if (paid === 'native') {
      expect(await solana('getBalance', [address, confirmed])).toMatchObject({
        value: 10_000_000_000,
      })
      return
    }
    const accounts = await solana('getTokenAccountsByOwner', [address, { mint: paid }, confirmed])
    expect(accounts).toMatchObject({
      value: [
        { account: { data: { parsed: { info: { tokenAmount: { uiAmountString: sum } } } } } },
      ],
    })
  })

  test('mints every token that is traded on Solana, of either token program', async () => {
    expect(sandbox.solana.tokens.length).toBeGreaterThanOrEqual(3)
    for (const { mint, symbol, decimals } of sandbox.solana.tokens) {
      const address = newSolanaAddress()
      const whole = await ask({ address, network: SOLANA, asset: symbol.toLowerCase() })
      expect(whole.json).toMatchObject({ success: true, asset: mint, amount: '1000' })
      const amount = `0.${'1'.padStart(decimals, '0')}`
      const least = await ask({ address, network: SOLANA, asset: mint, amount })
      expect(least.json).toMatchObject({ success: true, asset: mint, amount })
      const confirmed = { commitment: 'confirmed', encoding: 'jsonParsed' }
      const accounts = await solana('getTokenAccountsByOwner', [address, { mint }, confirmed])
      const tokenAmount = { amount: `${1000n * 10n ** BigInt(decimals) + 1n}`, decimals }
      expect(accounts).toMatchObject({
        value: [{ account: { data: { parsed: { info: { tokenAmount } } } } }],
      })
    }
  })

  test('pays 100 Solana orders that come at once, each once', async () => {
    const address = newSolanaAddress()
    const paid = await Promise.all(
      Array.from({ length: 100 }, async () => await sandbox.fund(address, 'native', '1')),
    )
    expect(new Set(paid).size).toBe(100)
    const { value } = (await solana('getBalance', [address, { commitment: 'confirmed' }])) as {
      value: number
    }
    expect(value).toBe(100 * 1e9)
  })

  test('a recipient that takes nothing is told apart, and the next order is paid', async () => {
    const address = '0x5555555555555555555555555555555555555555'
    await rpc('anvil_setCode', [address, REFUSES])
    expect(await ask({ address })).toMatchObject({
      status: 422,
      json: { error: { code: 'TRANSFER_FAILED' } },
    })
    expect(await ask({ address: ADDRESS })).toMatchObject({ status: 200 })
  })

  test('goes round faults of the port, and waits for blocks', async () => {
    await sandbox.fault({ kind: 'down', how: 'http-500' })
    await sandbox.fault({ kind: 'stop-blocks' })
    const paying = ask({ address: ADDRESS })
    await sandbox.clearFaults()
    expect(await paying).toMatchObject({ status: 200 })
  })

  test('answers loopback names only, with no word on other origins', async () => {
    const { url, headers } = await fetch(sandbox.faucetUrl)
    expect(url).toBe(sandbox.faucetUrl)
    expect(headers.get('access-control-allow-origin')).toBeNull()
    const status = await new Promise((resolve, reject) => {
      const sent = request(
        sandbox.faucetUrl,
        { method: 'POST', headers: { host: 'evil.example' } },
        (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        },
      )
      sent.once('error', reject)
      sent.end(JSON.stringify({ address: ADDRESS }))
    })
    expect(status).toBe(403)
    expect(await ask('x'.repeat(5_000))).toMatchObject({ status: 413 })
  })
})
