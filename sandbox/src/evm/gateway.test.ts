import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { BODY_BYTES_MAX } from './json-rpc-answer.ts'

let sandbox: SandboxHandle
beforeAll(async () => {
  sandbox = await startSandbox()
})
afterAll(async () => {
  await sandbox.stop()
})

const call = (method: string, params: readonly unknown[] = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
})
async function post(body: unknown): Promise<unknown> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return await (await fetch(sandbox.rpcUrl, { method: 'POST', body: text })).json()
}
async function statusWith(headers: Record<string, string>): Promise<number | undefined> {
  return await new Promise((resolve, reject) => {
    const sent = request(sandbox.rpcUrl, { method: 'POST', headers }, (answer) => {
      answer.resume()
      resolve(answer.statusCode)
    })
    sent.once('error', reject)
    sent.end(JSON.stringify(call('eth_chainId')))
  })
}

describe("the chain's port", () => {
  test('says who the sandbox is, alone and inside a batch, in the order asked', async () => {
    const identity = { instance: sandbox.instance, family: 'evm' }
    expect(await post(call('florin_sandbox', [], 'x'))).toEqual({
      jsonrpc: '2.0',
      id: 'x',
      result: identity,
    })
    expect(
      await post([
        call('eth_chainId', [], 1),
        call('florin_sandbox', [], 2),
        call('none', [], 3),
        7,
      ]),
    ).toMatchObject([
      { id: 1, result: '0x14a34' },
      { id: 2, result: identity },
      { id: 3, error: { code: -32601 } },
      { id: null, error: { code: -32600 } },
    ])
  })

  test.each(['anvil_setBalance', 'anvil_dumpState', 'evm_mine', 'evm_snapshot', 'hardhat_setCode'])(
    'keeps %s inside',
    async (method) => {
      expect(await post(call(method))).toMatchObject({ error: { code: -32601 } })
      expect(await post([call(method)])).toMatchObject([{ error: { code: -32601 } }])
    },
  )

  test('keeps them inside over WebSocket, too', async () => {
    const socket = new WebSocket(sandbox.rpcUrl.replace('http', 'ws'))
    const answers = new Promise<unknown[]>((resolve, reject) => {
      const all: unknown[] = []
      socket.addEventListener('message', ({ data }) => {
        all.push(JSON.parse(String(data)))
        if (all.length === 3) resolve(all)
      })
      socket.addEventListener('error', () => reject(new Error('the WebSocket failed')))
    })
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify(call('evm_mine', [], 1)))
      socket.send(JSON.stringify(call('florin_sandbox', [], 2)))
      socket.send(JSON.stringify(call('eth_subscribe', ['newHeads'], 3)))
    })
    const expected = [
      expect.objectContaining({ id: 1, error: expect.anything() }),
      expect.objectContaining({ id: 2, result: { instance: sandbox.instance, family: 'evm' } }),
      expect.objectContaining({ id: 3, result: expect.stringMatching(/^0x/) }),
    ]
    expect(await answers).toEqual(expect.arrayContaining(expected))
    socket.close()
  })

  test('what is no JSON-RPC is told so', async () => {
    expect(await post('{')).toMatchObject({ id: null, error: { code: -32700 } })
    expect(await post([])).toMatchObject({ error: { code: -32600 } })
    expect(await post('null')).toMatchObject({ error: { code: -32600 } })
  })

  test('a body has a limit, and so has a batch', async () => {
    const body = `"${'x'.repeat(BODY_BYTES_MAX)}"`
    expect((await fetch(sandbox.rpcUrl, { method: 'POST', body })).status).toBe(413)
    expect(await post(Array.from({ length: 1_001 }, () => call('eth_chainId')))).toMatchObject({
      error: { code: -32600 },
    })
    expect((await fetch(sandbox.rpcUrl)).status).toBe(405)
  })

  test('only who means this machine is answered', async () => {
    const port = new URL(sandbox.rpcUrl).port
    expect(await statusWith({ host: 'evil.example' })).toBe(403)
    expect(await statusWith({ host: `127.0.0.1.evil.example:${port}` })).toBe(403)
    expect(await statusWith({ host: `localhost:${port}`, origin: 'https://evil.example' })).toBe(
      403,
    )
    expect(await statusWith({ host: `localhost:${port}`, origin: 'null' })).toBe(403)
    expect(await statusWith({ host: `localhost:${port}`, origin: 'http://localhost:3000' })).toBe(
      200,
    )
  })

  test('reads never fail while blocks are mined under load', { timeout: 240_000 }, async () => {
    const address = '0x2222222222222222222222222222222222222222'
    let isOver = false
    const load = (async () => {
      for (let round = 0; round < 4; round += 1) {
        await Promise.all(Array.from({ length: 40 }, async () => await sandbox.fund(address)))
      }
      isOver = true
    })()
    const reads = [
      call('eth_getBalance', [address, 'latest']),
      call('eth_getTransactionCount', [address, 'finalized']),
      call('eth_getBalance', [address, 'safe']),
      call('eth_call', [{ to: address }, 'latest']),
      call('eth_getBlockByNumber', ['finalized', false]),
      call('eth_getLogs', [{ fromBlock: 'finalized', toBlock: 'latest' }]),
    ]
    let rounds = 0
    while (!isOver) {
      for (const body of [reads, ...reads]) {
        const answers = [await post(body)].flat()
        for (const answer of answers) expect(answer).toHaveProperty('result')
      }
      rounds += 1
    }
    await load
    expect(rounds).toBeGreaterThan(3)
  })
})
