import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { keccak256, parseGwei } from 'viem'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startSandbox } from '../../../e2e/actors/sandbox.ts'
import type { SandboxHandle } from '../../../e2e/actors/sandbox.ts'
import { until } from '../../../server/src/kernel/until.ts'
import { isJsonArray, isJsonObject, parseJson } from '../host/json.ts'
import type { Json } from '../host/json.ts'

let sandbox: SandboxHandle
const account = privateKeyToAccount(generatePrivateKey())
const PAYEE = '0x6666666666666666666666666666666666666666'
let nonce = 0

beforeAll(async () => {
  sandbox = await startSandbox({ faults: true })
  await sandbox.fund(account.address)
})
afterEach(async () => {
  await sandbox.clearFaults()
})
afterAll(async () => {
  await sandbox.stop()
})

async function answerTo(method: string, params: readonly Json[] = []): Promise<Json> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const answer = await fetch(sandbox.rpcUrl, {
    method: 'POST',
    body,
    signal: AbortSignal.timeout(60_000),
  })
  return parseJson(await answer.text()) ?? null
}
async function result(method: string, params: readonly Json[] = []): Promise<Json> {
  const answer = await answerTo(method, params)
  if (!isJsonObject(answer) || answer['result'] === undefined) {
    throw new Error(`${method}: ${JSON.stringify(answer)}`)
  }
  return answer['result']
}
const signedAt = async (place: number, tip = 1n): Promise<Hex> =>
  await account.signTransaction({
    type: 'eip1559',
    chainId: 84_532,
    nonce: place,
    gas: 21_000n,
    maxFeePerGas: parseGwei('20'),
    maxPriorityFeePerGas: tip,
    to: PAYEE,
    value: 1n,
  })
const receipt = async (raw: Hex): Promise<Json> =>
  await result('eth_getTransactionReceipt', [keccak256(raw)])
const minedBlock = async (raw: Hex): Promise<Json> =>
  await until('it is mined', async () => await receipt(raw), { seconds: 30 })

async function standing(): Promise<readonly Json[]> {
  const answer = await fetch(`${sandbox.adminUrl ?? ''}/faults`)
  const state = parseJson(await answer.text())
  const faults = isJsonObject(state) ? state['faults'] : undefined
  return isJsonArray(faults) ? faults : []
}

describe('a fault', () => {
  test('drop: the node answers the hash and has never seen the transaction', async () => {
    const raw = await signedAt(nonce)
    await sandbox.fault({ kind: 'drop', count: 1 })
    expect(await result('eth_sendRawTransaction', [raw])).toBe(keccak256(raw))
    await sandbox.mine()
    expect(await result('eth_getTransactionByHash', [keccak256(raw)])).toBeNull()
    expect(await result('eth_sendRawTransaction', [raw])).toBe(keccak256(raw))
    await minedBlock(raw)
    nonce += 1
  })

  test('lag: what names a block, or the newest, is answered as of so many blocks ago', async () => {
    const at = async (height: number, method: string, ...params: readonly Json[]) =>
      await answerTo(method, [...params, `0x${height.toString(16)}`])
    const head = async () => Number(await result('eth_blockNumber'))
    await sandbox.mine(12)
    const before = await result('eth_getBalance', [PAYEE, 'latest'])
    const raw = await signedAt(nonce)
    await result('eth_sendRawTransaction', [raw])
    await minedBlock(raw)
    nonce += 1
    await sandbox.mine(3)
    await sandbox.fault({ kind: 'stop-blocks' })
    const newest = await head()
    await sandbox.fault({ kind: 'lag', blocks: 10 })
    expect(await head()).toBe(newest - 10)
    expect(await result('eth_getBalance', [PAYEE, 'latest'])).toBe(before)
    expect(await result('eth_getBalance', [PAYEE])).toBe(before)
    const missing = { error: { code: -32_000, message: 'header not found' } }
    expect(await at(newest, 'eth_getBalance', PAYEE)).toMatchObject(missing)
    expect(await at(newest - 10, 'eth_getBalance', PAYEE)).toMatchObject({ result: before })
    const block = await result('eth_getBlockByNumber', ['latest', false])
    expect(Number(isJsonObject(block) ? block['number'] : undefined)).toBe(newest - 10)
    expect(await receipt(raw)).not.toBeNull()
    await sandbox.clearFaults()

    await sandbox.fault({ kind: 'lag', blocks: 10, methods: ['eth_getBalance'] })
    expect(await head()).toBeGreaterThanOrEqual(newest)
    expect(await standing()).toEqual([{ kind: 'lag', blocks: 10, methods: ['eth_getBalance'] }])
  })

  test('fail with forward: the node has it although it said no', async () => {
    const raw = await signedAt(nonce)
    const answer = { code: -32_000, message: 'mempool is full' }
    const methods = ['eth_sendRawTransaction']
    await sandbox.fault({ kind: 'fail', forward: true, answer, methods, count: 1 })
    expect(await answerTo('eth_sendRawTransaction', [raw])).toMatchObject({ id: 1, error: answer })
    await minedBlock(raw)
    nonce += 1
  })

  test.each(['http-500', 'connection-reset'] as const)(
    'fail with forward by %s',
    async (answer) => {
      const raw = await signedAt(nonce)
      const methods = ['eth_sendRawTransaction']
      await sandbox.fault({ kind: 'fail', forward: true, answer, methods, count: 1 })
      if (answer === 'http-500') {
        expect(await answerTo('eth_sendRawTransaction', [raw])).toMatchObject({
          error: 'Internal Server Error',
        })
      } else {
        await expect(answerTo('eth_sendRawTransaction', [raw])).rejects.toThrow('fetch failed')
      }
      await minedBlock(raw)
      nonce += 1
    },
  )

  test('fail without forward: refused, and nothing happened; other methods are spared', async () => {
    const raw = await signedAt(nonce)
    const answer = { code: -32_000, message: 'no' }
    const methods = ['eth_sendRawTransaction']
    await sandbox.fault({ kind: 'fail', forward: false, answer, methods })
    expect(await answerTo('eth_sendRawTransaction', [raw])).toMatchObject({ error: answer })
    expect(await result('eth_getTransactionByHash', [keccak256(raw)])).toBeNull()
    await sandbox.clearFaults()
    expect(await result('eth_sendRawTransaction', [raw])).toBe(keccak256(raw))
    await minedBlock(raw)
    nonce += 1
  })

  test('hang: no answer comes until the caller leaves; others are answered', async () => {
    await sandbox.fault({ kind: 'hang', methods: ['eth_gasPrice'], count: 1 })
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_gasPrice', params: [] })
    const leaving = new AbortController()
    const hanging = fetch(sandbox.rpcUrl, { method: 'POST', body, signal: leaving.signal })
    await until('the call hangs', async () => (await standing()).length === 0, { seconds: 30 })
    expect(await result('eth_chainId')).toBe('0x14a34')
    leaving.abort()
    await expect(hanging).rejects.toThrow('aborted')
    expect(await result('eth_gasPrice')).toMatch(/^0x/)
  })

  test('delay: the answer comes later than one asked after it', async () => {
    await sandbox.fault({ kind: 'delay', milliseconds: 1_000, methods: ['eth_gasPrice'], count: 1 })
    const order: string[] = []
    await Promise.all([
      result('eth_gasPrice').then(() => order.push('delayed')),
      result('eth_chainId').then(() => order.push('plain')),
    ])
    expect(order).toEqual(['plain', 'delayed'])
  })

  test('down: every request fails until it is cleared', async () => {
    await sandbox.fault({ kind: 'down', how: 'connection-reset' })
    await expect(answerTo('eth_chainId')).rejects.toThrow('fetch failed')
    await sandbox.clearFaults()
    expect(await result('eth_chainId')).toBe('0x14a34')
  })

  test('stop-blocks: accepted, never mined, until one is asked for', async () => {
    await sandbox.fault({ kind: 'stop-blocks' })
    const raw = await signedAt(nonce)
    await result('eth_sendRawTransaction', [raw])
    const height = await result('eth_blockNumber')
    expect(await receipt(raw)).toBeNull()
    expect(await result('eth_blockNumber')).toBe(height)
    await sandbox.mine()
    expect(await receipt(raw)).toMatchObject({ status: '0x1' })
    nonce += 1
  })

  test('evict: the pool forgets it and the nonce is free again', async () => {
    await sandbox.fault({ kind: 'stop-blocks' })
    const raw = await signedAt(nonce)
    await result('eth_sendRawTransaction', [raw])
    await sandbox.fault({ kind: 'evict', transactionHash: keccak256(raw) })
    expect(await result('eth_getTransactionByHash', [keccak256(raw)])).toBeNull()
    const count = await result('eth_getTransactionCount', [account.address, 'pending'])
    expect(Number(count)).toBe(nonce)
  })

  test('reorg: the transaction is gone from chain and pool; the same bytes mine again', async () => {
    await sandbox.fault({ kind: 'stop-blocks' })
    const raw = await signedAt(nonce)
    await result('eth_sendRawTransaction', [raw])
    await sandbox.mine(2)
    await sandbox.fault({ kind: 'reorg', depth: 2 })
    expect(await receipt(raw)).toBeNull()
    expect(await result('eth_getTransactionByHash', [keccak256(raw)])).toBeNull()
    await sandbox.mine()
    expect(await receipt(raw)).toBeNull()
    await result('eth_sendRawTransaction', [raw])
    await sandbox.mine()
    expect(await receipt(raw)).toMatchObject({ status: '0x1' })
    nonce += 1
  })

  test('reorg with a rival: the nonce is spent by another transaction for good', async () => {
    await sandbox.fault({ kind: 'stop-blocks' })
    const [raw, rival] = [await signedAt(nonce), await signedAt(nonce, 7n)]
    await result('eth_sendRawTransaction', [raw])
    await sandbox.mine()
    await sandbox.fault({ kind: 'reorg', depth: 1, rivals: [{ raw: rival, block: 0 }] })
    expect(await receipt(raw)).toBeNull()
    expect(await receipt(rival)).toMatchObject({ status: '0x1' })
    expect(await answerTo('eth_sendRawTransaction', [raw])).toMatchObject({
      error: { message: expect.stringContaining('nonce too low') },
    })
    nonce += 1
  })

  test('base-fee: the next block asks for it', async () => {
    await sandbox.fault({ kind: 'stop-blocks' })
    await sandbox.fault({ kind: 'base-fee', weiPerGas: '50000000000' })
    await sandbox.mine()
    expect(await result('eth_getBlockByNumber', ['latest', false])).toMatchObject({
      baseFeePerGas: '0xba43b7400',
    })
    await sandbox.fault({ kind: 'base-fee', weiPerGas: '1000000000' })
    await sandbox.mine()
  })

  test('a fault that makes no sense is refused, and none stands', async () => {
    const url = sandbox.adminUrl ?? ''
    for (const body of [
      {},
      { kind: 'mine', blocks: 0 },
      { kind: 'fail', answer: 3 },
      { kind: 'x' },
    ]) {
      const answer = await fetch(`${url}/faults`, { method: 'POST', body: JSON.stringify(body) })
      expect(answer.status).toBe(400)
    }
    const state: unknown = await (await fetch(`${url}/faults`)).json()
    expect(state).toMatchObject({ success: true, faults: [], blocksStopped: false })
  })
})

test('without --faults there is no such door', async () => {
  const plain = await startSandbox()
  try {
    expect(plain.adminUrl).toBeNull()
    const url = plain.faucetUrl.replace('/faucet', '/faults')
    const answer = await fetch(url, { method: 'POST', body: '{"kind":"mine","blocks":1}' })
    expect(answer.status).toBe(404)
  } finally {
    await plain.stop()
  }
})
